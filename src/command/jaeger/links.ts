/** Longest text that an address is given to look for; no telemetry library writes ids as long. */
export const FIND_MAX_CHARS = 1000;

/**
 * The address of a trace's page in Jaeger.
 *
 * @param base - where Jaeger is, with the path it is served under, if any; a user and password in it are left out
 * @param find - text to look for in the trace, e.g. an event id: the page marks the spans that have it. One that is too long
 *   is left out
 */
export function traceUrl(base: string, traceId: string, find?: string): string {
  const { origin, pathname } = new URL(base);
  const page = `${origin}${pathname.replace(/\/+$/, '')}/trace/${encoded(traceId)}`;
  return find === undefined || find === '' || find.length > FIND_MAX_CHARS ? page : `${page}?uiFind=${encoded(find)}`;
}

/** A lone surrogate has no form in an address. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
