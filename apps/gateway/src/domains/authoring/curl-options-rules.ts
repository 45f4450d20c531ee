/** Effect of a curl option. */
export type OptionFate =
  /** It shapes the request. */
  | 'read'
  /** It concerns the terminal, files or the local connection, not the service. */
  | 'ignored'
  /** It shapes the call in a way that the gateway does not support. */
  | 'unsupported'
  /** No call could be made without it. */
  | 'refused'

/** A curl option by its long name. */
export type CurlOption = { readonly name: string; readonly takesValue: boolean; readonly fate: OptionFate }

const words = (text: string): string[] => text.trim().split(/\s+/)

const READ_WITH_VALUE =
  words(`request header data data-ascii data-raw data-binary data-urlencode json url url-query
  user user-agent cookie form form-string referer max-time oauth2-bearer`)
const READ_ALONE = words('get head')
const UNSUPPORTED_WITH_VALUE = words(
  `proxy proxy-user proxy-header range cacert capath resolve connect-to config netrc-file socks4 socks4a socks5 socks5-hostname preproxy quote continue-at time-cond pinnedpubkey doh-url`,
)
const UNSUPPORTED_ALONE = words(`insecure location location-trusted netrc anyauth proxytunnel append`)
const REFUSED_WITH_VALUE =
  words(`upload-file cert key cert-type key-type pass unix-socket abstract-unix-socket
  request-target aws-sigv4`)
const REFUSED_ALONE = words('digest ntlm negotiate')
const IGNORED_WITH_VALUE = words(`output output-dir write-out retry retry-delay retry-max-time connect-timeout
  max-redirs cookie-jar dump-header limit-rate interface stderr trace trace-ascii proto proto-default proto-redir ciphers
  tls13-ciphers tls-max curves noproxy keepalive-time expect100-timeout max-filesize speed-limit speed-time rate
  parallel-max dns-servers dns-interface local-port delegation engine etag-save etag-compare happy-eyeballs-timeout-ms
  variable telnet-option ftp-port hsts alt-svc`)
const IGNORED_ALONE =
  words(`silent show-error verbose include fail fail-early fail-with-body no-buffer progress-bar
  no-progress-meter globoff compressed http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only ipv4 ipv6
  remote-name remote-name-all remote-header-name remote-time junk-session-cookies disable list-only use-ascii parallel
  path-as-is tcp-nodelay tcp-fastopen ssl-reqd ssl tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2 sslv3 basic raw
  create-dirs crlf no-keepalive post301 post302 post303 trace-time trace-ids styled-output retry-all-errors
  retry-connrefused next manual version no-alpn no-npn no-sessionid tr-encoding false-start suppress-connect-headers
  ssl-no-revoke ssl-revoke-best-effort ssl-allow-beast`)

/** All known long options. */
const options: ReadonlyMap<string, CurlOption> = new Map(
  (
    [
      [READ_WITH_VALUE, true, 'read'],
      [READ_ALONE, false, 'read'],
      [UNSUPPORTED_WITH_VALUE, true, 'unsupported'],
      [UNSUPPORTED_ALONE, false, 'unsupported'],
      [REFUSED_WITH_VALUE, true, 'refused'],
      [REFUSED_ALONE, false, 'refused'],
      [IGNORED_WITH_VALUE, true, 'ignored'],
      [IGNORED_ALONE, false, 'ignored'],
    ] as const
  ).flatMap(([names, takesValue, fate]) =>
    names.map((name): [string, CurlOption] => [name, { name, takesValue, fate }]),
  ),
)

/** Long names of single-letter options. */
const LETTERS: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  u: 'user',
  A: 'user-agent',
  b: 'cookie',
  F: 'form',
  e: 'referer',
  m: 'max-time',
  G: 'get',
  I: 'head',
  T: 'upload-file',
  x: 'proxy',
  U: 'proxy-user',
  r: 'range',
  E: 'cert',
  K: 'config',
  Q: 'quote',
  C: 'continue-at',
  z: 'time-cond',
  k: 'insecure',
  L: 'location',
  n: 'netrc',
  p: 'proxytunnel',
  a: 'append',
  o: 'output',
  w: 'write-out',
  c: 'cookie-jar',
  D: 'dump-header',
  y: 'speed-time',
  Y: 'speed-limit',
  t: 'telnet-option',
  P: 'ftp-port',
  s: 'silent',
  S: 'show-error',
  v: 'verbose',
  i: 'include',
  f: 'fail',
  N: 'no-buffer',
  '#': 'progress-bar',
  g: 'globoff',
  '0': 'http1.0',
  '1': 'tlsv1',
  '2': 'sslv2',
  '3': 'sslv3',
  '4': 'ipv4',
  '6': 'ipv6',
  O: 'remote-name',
  J: 'remote-header-name',
  R: 'remote-time',
  j: 'junk-session-cookies',
  q: 'disable',
  l: 'list-only',
  B: 'use-ascii',
  Z: 'parallel',
  M: 'manual',
  V: 'version',
  ':': 'next',
}

/** Returns an option by its long name, without dashes, or undefined. The prefix `no-` turns it off. */
export const optionByName = (name: string): CurlOption | undefined =>
  options.get(name) ??
  (options.has(name.replace(/^no-/, '')) ? { name, takesValue: false, fate: 'ignored' } : undefined)

/** Returns an option by its letter, or undefined. */
export function optionByLetter(letter: string): CurlOption | undefined {
  const name = LETTERS[letter]
  return name === undefined ? undefined : options.get(name)
}
