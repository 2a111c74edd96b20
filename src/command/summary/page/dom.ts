type Child = Node | string;
type Attributes = Readonly<Record<string, string | undefined>>;

/** An element. Texts become text nodes, whatever stands in them. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** `text`, as a link where there is an address that a browser may follow without running anything. */
export function linked(text: string, url: string | undefined): HTMLElement {
  const code = el('code', {}, text);
  if (url === undefined || !/^https?:\/\//i.test(url)) return code;
  return el('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, code);
}

/** A number for people. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}
