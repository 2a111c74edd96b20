import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { failureReports } from '../../src/frameworks/hono.ts';
import type { FailureEvent } from '../../src/records/failure-event.ts';
import { observeFailure } from '../../src/transport/observe.ts';
import { event, pause } from './framework-contract.ts';

/** The contract's routes. */
export function contractApp(withAdapter: boolean): Hono {
  const app = new Hono();
  if (withAdapter) app.use(failureReports());
  app.get('/recovered', (c) => {
    observeFailure(event('attempt'));
    return c.json({ fine: true });
  });
  app.get('/event', () => {
    throw event('own');
  });
  app.get('/caused', async () => {
    throw new Error('outer', { cause: event('own') });
  });
  app.get('/plain', () => {
    throw new Error('plain');
  });
  app.get('/teapot', () => {
    throw new HTTPException(418, { message: 'short and stout', cause: event('own') });
  });
  app.post('/body', async (c) => {
    await c.req.json();
    throw event('own');
  });
  app.get('/slow/:id', async (c) => {
    const id = c.req.param('id');
    await pause();
    observeFailure(event(`attempt ${id}`));
    await pause();
    throw event(`own ${id}`);
  });
  return app;
}

/** What a report is made of that another server sent. */
export function passedOn(): { failureId: string; events: Map<string, FailureEvent> } {
  const record = event('passed on').toRecord();
  return { failureId: record.event_id, events: new Map([[record.event_id, record]]) };
}
