/**
 * The method that `ours`, an own property of `object`, stands in front of: looked up at each call, since frameworks
 * change prototypes afterwards.
 *
 * @param read - reads the method
 */
export function methodUnder<T extends object, Method>(object: T, read: (holder: T) => Method, ours: Method): Method {
  // An object made from it (`Object.create(req)`) finds ours once more on its prototype.
  let holder: T = Object.getPrototypeOf(object);
  let method = read(holder);
  while (method === ours) {
    holder = Object.getPrototypeOf(holder);
    method = read(holder);
  }
  return method;
}
