// Security headers of all answers, in one place, so that no route has its own rules.

type Directives = Readonly<Record<string, readonly string[]>>

/** Directives of every policy: no base, no form, no frame around it, no plug-in. */
const CLOSED: Directives = {
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

function policy(directives: Directives): string {
  return Object.entries({ ...directives, ...CLOSED })
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ')
}

/** Policies (CSP Level 3) for routes; none allows scripts that are not our files. */
export const contentSecurityPolicy = {
  /** For answers that are not pages: if a browser displays one, it can do nothing. The default. */
  data: policy({ 'default-src': ["'none'"] }),
  /** For files of providers: their own origin is not this one. */
  file: policy({ 'default-src': ["'none'"], sandbox: [] }),
  /** `/docs/reference/interactive`. Loads nothing from and sends nothing to other hosts; the page sets its own styles. */
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
 * Returns the policy of the console's pages. Icons of wallets are `data:` URLs (EIP-6963); dialogs set a style while
 * open. Neither can run anything.
 *
 * @param connectTo further origins that its scripts may connect to, such as the chain's public RPC and the relay to
 * wallets on a phone
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
 * Returns the headers of every answer. Values are helmet's where it has one, as a test checks. Computed once, as every
 * paid call needs them.
 *
 * @param isProduction adds HSTS; development has no TLS
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
