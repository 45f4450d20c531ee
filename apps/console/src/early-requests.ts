import { readStoredSession } from './session/stored-session.ts'

/** How long a response waits for the code that reads it, in ms. */
const KEEP_MS = 10_000
const CREDENTIALS = 'credentials/agent/list?limit=100'
const NAMES = ['services/discover?limit=100', CREDENTIALS]
const CALLS = ['usage/logs?limit=100', 'usage/summary?days=90', ...NAMES]

/** First requests of public pages, below `/api/v1`, by path. */
const FOR_VISITORS: Readonly<Record<string, readonly string[]>> = {
  '/': ['market/stats', 'proof/reserves', 'market/services?sort=highest_reliability&pageSize=6'],
  '/market': ['market/services?pageSize=25', 'market/tags'],
  '/proof': ['proof/reserves', 'proof/seals?limit=20', 'proof/checks?days=1'],
  '/services/:id': ['market/services/:id', 'market/services/:id/health'],
}
/** First requests of pages that need a session. */
const FOR_WALLETS: Readonly<Record<string, readonly string[]>> = {
  '/app': [
    'balance',
    'usage/logs?limit=8',
    'usage/summary?days=1',
    'balance/spending-limit',
    'balance/deposits?limit=20',
    'alerts?limit=20',
    ...NAMES,
    'usage/summary?days=30',
  ],
  '/app/deposit': ['balance', 'balance/deposits?limit=20'],
  '/app/credentials': ['credentials/agent/list?limit=50', 'usage/summary?days=14&by=credential&series=50'],
  '/app/activity': NAMES,
  '/app/policy': ['balance/spending-limit', `${CREDENTIALS}&active_only=true`],
  '/app/ledger': ['balance/ledger?limit=100'],
  '/app/calls': CALLS,
  '/app/calls/:id': ['agent/invocations/:id', ...CALLS],
  '/app/profile': ['auth/me'],
  '/app/alerts': ['alerts?limit=50', 'alerts/settings', 'auth/me', 'webhooks', ...NAMES],
  '/app/webhooks': ['webhooks'],
  '/app/proof': ['proof/reserves', 'proof/seals?limit=20'],
  '/provider': ['services?limit=50', 'providers/earnings/summary'],
  '/provider/:id': [
    'services/:id',
    'market/services/:id',
    'services/:id/health/history?hours=24&limitPerTarget=500',
    'providers/earnings/summary',
  ],
  '/provider/secrets': ['secrets/provider/list', 'secrets/signing', 'secrets/provider/audit-logs?limit=20'],
  '/provider/traffic': ['services?limit=50'],
  '/provider/earnings': [
    'services?limit=50',
    'providers/withdrawals?limit=100',
    'providers/withdrawals/capability',
  ],
  '/provider/withdraw': ['providers/withdrawals?limit=20', 'providers/withdrawals/capability'],
}
/** First requests of every page of admins, which is refused to others. */
const FOR_ADMINS = ['auth/me']

type Early = {
  readonly authorization: string | null
  readonly response: Promise<Response>
  readonly abort: AbortController
}
/** Requests whose responses nobody has read yet, by URL. */
const early = new Map<string, Early>()

/**
 * Returns the requests that a page sends first, or as soon as others are answered.
 *
 * @returns URLs without origin, the most important first
 */
export function earlyRequestsOf(path: string, isSignedIn: boolean): string[] {
  const page = path.replace(/(?<=.)\/$/, '')
  const id = /\/((?:svc|inv)_\w+)$/.exec(page)?.[1] ?? ''
  const name = id === '' ? page : page.replace(id, ':id')
  const forWallets = name.startsWith('/admin') ? FOR_ADMINS : FOR_WALLETS[name]
  const own = FOR_VISITORS[name] ?? (isSignedIn ? forWallets : undefined) ?? []
  return ['status', ...own].map(url => `/api/v1/${url.replace(':id', id)}`)
}

/** Sends the first requests of the page that opens, so that they are answered while its code loads. */
export function sendEarlyRequests({ pathname, search }: Pick<URL, 'pathname' | 'search'>): void {
  // A filtered list has other requests.
  if (search !== '') return
  const session = readStoredSession()
  const authorization = session === null ? null : `Bearer ${session.token}`
  for (const url of earlyRequestsOf(pathname, session !== null)) {
    const abort = new AbortController()
    const headers: Record<string, string> = authorization === null ? {} : { authorization }
    const response = fetch(url, { headers, signal: abort.signal })
    early.set(url, { authorization, response, abort })
    // Then the page sends the request itself, and reports if that fails too.
    response.catch(() => early.delete(url))
  }
  setTimeout(dropUnread, KEEP_MS)
}

/** An unread response would keep its connection. */
function dropUnread(): void {
  for (const { abort } of early.values()) abort.abort()
  early.clear()
}

/**
 * `fetch` that takes the response to a request of {@link sendEarlyRequests}, if it was sent for the same wallet and
 * nobody has taken it yet.
 */
export const fetchOrTakeEarly: typeof fetch = (input, init) => {
  const url = String(input)
  const sent = early.get(url)
  if (sent === undefined || (init?.method ?? 'GET') !== 'GET') return fetch(input, init)
  if (sent.authorization !== new Headers(init?.headers).get('authorization')) return fetch(input, init)
  early.delete(url)
  init?.signal?.addEventListener('abort', () => sent.abort.abort(init.signal?.reason))
  return sent.response
}
