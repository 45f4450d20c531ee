// What browsers are told to do, and not to do, with our answers: in one place, so that no route has a rule of its own.

type Directives = Readonly<Record<string, readonly string[]>>

/** Whatever is answered: no base, no form, no frame around it, no plug-in. */
const CLOSED: Directives = {
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

function policy(directives: Directives): string {
  return Object.entries({ ...directives, ...CLOSED })
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ')
}

/** Policies (CSP Level 3) that a route chooses from; none lets a script run that is not a file of ours. */
export const contentSecurityPolicy = {
  /** What is no page: should a browser show it as one, it can do nothing. Every answer has it unless it says more. */
  data: policy({ 'default-src': ["'none'"] }),
  /** `/docs`. Loads nothing from elsewhere and tells nobody anything; the page writes its own styles as it goes. */
  reference: policy({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
  }),
} as const

/**
 * The policy of the console's pages. Icons of wallets come as `data:` (EIP-6963); dialogs write a style while they are
 * open. Neither can run anything.
 *
 * @param connectTo origins besides ours that its scripts may talk to, such as that of the chain's public RPC, and of the
 *   relay to wallets on a phone
 */
export function consolePolicy(connectTo: readonly string[]): string {
  return policy({
    'default-src': ["'self'"],
    'script-src': ["'self'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'", ...connectTo],
    'object-src': ["'none'"],
  })
}

/**
 * Headers of every answer, whatever it is and however it came about. Values are those of helmet, where it has one; a
 * test holds the two together. Made once: a paid call is not to pay for them.
 *
 * @param isProduction told to come by TLS only; development has none
 */
export function securityHeaders(isProduction: boolean): readonly (readonly [string, string])[] {
  return [
    ['content-security-policy', contentSecurityPolicy.data],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['cache-control', 'no-store'],
    ...(isProduction
      ? ([['strict-transport-security', 'max-age=31536000; includeSubDomains']] as const)
      : []),
  ]
}
