/**
 * The address of a trace's page in Jaeger.
 *
 * @param base - where Jaeger is, with the path it is served under, if any; a user and password in it are left out
 * @param find - text to look for in the trace, e.g. an event id: the page marks the spans that have it
 */
export function traceUrl(base: string, traceId: string, find?: string): string {
  const { origin, pathname } = new URL(base);
  const page = `${origin}${pathname.replace(/\/+$/, '')}/trace/${encodeURIComponent(traceId)}`;
  return find === undefined || find === '' ? page : `${page}?uiFind=${encodeURIComponent(find)}`;
}
