/** Between a name and its value: quotes, also escaped ones, as in a JSON text inside another. */
const SEPARATOR = String.raw`\\{0,3}["']?\s{0,8}(?:=>|:=|[:=]|%3[ad](?:%20)?)\s{0,8}`;
const TO_VALUE = String.raw`${SEPARATOR}\\{0,3}["']?`;
/** A value in quotes goes to their end, over quotes that are escaped in it; one in escaped quotes to the next of these. */
const QUOTED = String.raw`(?<=\\["'])[^"'\\\r\n]+|(?<=")(?:[^"\\\r\n]|\\.)+|(?<=')(?:[^'\\\r\n]|\\.)+`;
/** A header's value to the end of its line, with the quotes of its parameters: `Digest username="u", response="…"`. */
const PARAMETERS = String.raw`(?<!["'])(?:[^"'=\r\n]|="[^"\r\n]*"|=)+`;
/** Headers that may hold several credentials: `Cookie: a=1; session=2`, `Authorization: AWS4-HMAC-SHA256 …`. */
const HEADERS = '(?:proxy-)?authorization|(?:set-)?cookie';
const NAMES =
  '(?:api|private|account|functions|subscription)[-_ ]?key|access[-_ ]?key(?:[-_ ]?id)?|(?<!unexpected )token|secret|' +
  'passw(?:or)?d|passphrase|\\bpwd|' +
  'session[-_]?id|signature(?==)|\\bsig(?==)';

/**
 * What credentials look like in the messages of HTTP clients and SDKs. Each pattern is linear: where it can begin again
 * inside of what it looked at in vain, it is bounded. None has a bound after which the rest of a long secret would stay.
 */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Node has some headers' values in lists.
  [new RegExp(`((?:${HEADERS}|${NAMES})${SEPARATOR}\\[)[^\\]]*`, 'gi'), '$1***'],
  [new RegExp(`\\b((?:${HEADERS})${TO_VALUE})(?:${QUOTED}|${PARAMETERS})`, 'gi'), '$1***'],
  [
    /\b(bearer)\s+(?!(?:auth\w{0,20}|tokens?|credentials?|scheme|realm|errors?|is|was|not|missing|required)\b)[\w.~+/=-]{4,}/gi,
    '$1 ***',
  ],
  // Words follow these two in ordinary sentences; base64 has capitals inside, digits or `=`.
  [/\b([Bb]asic|BASIC|[Dd]igest)\s+(?=[A-Za-z+/]{0,64}(?:[\d=]|[a-z][A-Z]))[\w.~+/=-]{6,}/g, '$1 ***'],
  // User and password of an address, up to the last `@` before its path. JSON may write `\/` for its slashes.
  [/(:(?:\\?\/){2})[^\s/\\?#"'<>]*@/g, '$1***@'],
  // The same where the password has a `/`, `?` or `#`, so that the address was refused; and where the text was cut in it.
  [/(:\/\/)(?!\[)[^\s/?#"'<>@:]*:(?!\d{0,5}(?:[/?#]|$))(?:(?!:\/\/)[^\s"'<>])*@/g, '$1***@'],
  [/(:\/\/)(?!\[)[^\s/?#"'<>@:]*:(?!\d{0,5}$)[^\s/?#"'<>@]+$/g, '$1***'],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*/g, '***'],
  [/\b(?:sk|pk|rk|hf|nvapi|gh[opsur]|github_pat|glpat|gsk|xai|pplx|r8|xox[abeprs])[-_][\w-]{8,}/g, '***'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\bya29\.[\w.-]+/g, '***'],
  // A JSON web token.
  [/(?<![\w-])eyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, '***'],
  [/\b(api[-_ ]?key provided: )[^\s"',;]+/gi, '$1***'],
  // undici quotes the whole value of a header that it refuses.
  [/"[^"]*(" is an invalid header value)/g, '"***$1'],
  [/\b(Headers\.\w{1,20}: )"[\s\S]*?(?=" is an invalid header value|$)/g, '$1"***'],
  [new RegExp(`((?:${NAMES})${TO_VALUE})(?:${QUOTED}|(?<!["'])[^\\s"',;&}\\\\]+)`, 'gi'), '$1***'],
];

/**
 * None of the patterns matches a text without one of these. One look for them all saves ten in most messages, and in the
 * first line of most stacks: the colon after an error's name is none that a credential follows.
 */
const TELLTALE = /(?<!Error|Event):|[="@_-]|%3[ad]|bearer|basic|digest|AKIA|ASIA|AIza|ya29\.|eyJ/i;

/** `text` with what looks like a credential masked. */
export function withoutSecrets(text: string): string {
  if (!TELLTALE.test(text)) return text;
  let masked = text;
  for (const [pattern, replacement] of SECRETS) masked = masked.replace(pattern, replacement);
  return masked;
}
