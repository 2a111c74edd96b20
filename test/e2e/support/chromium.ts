import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { binaryOf } from './binaries.ts';

/** A page that is open, and what it did that it should not. */
export interface OpenPage {
  readonly page: Page;
  /** Addresses that it asked for, its own file aside. */
  readonly requests: readonly string[];
  /** What it wrote to the console, errors that nobody caught and dialogs. */
  readonly complaints: readonly string[];
}

/** Starts the browser; throws, so that a test fails, when there is none. */
export async function startChromium(): Promise<Browser> {
  // Without its sandbox: that cannot be set up for root in a container.
  return chromium.launch({ executablePath: binaryOf('chromium'), args: ['--no-sandbox'] });
}

/** Opens a file as a person does who clicks on it. */
export async function openFile(
  browser: Browser,
  file: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<OpenPage> {
  const page = await browser.newPage(options);
  const url = pathToFileURL(file).href;
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url());
  });
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, requests, complaints };
}
