/** A page that pictures are taken of. */
export type PictureOf = {
  /** Name of the files. */
  readonly name: string
  /** `{echo}`, `{llm}` and `{topic}` stand for ids of the scenery. */
  readonly path: string
  /** By the owner of the scenery, who has money, credentials and calls; or its provider; somebody who has just come; or nobody. */
  readonly as?: 'owner' | 'provider' | 'admin' | 'newcomer'
  /** Narrow ones as on a phone; default 1280. */
  readonly width?: number
  /** Text that is there when the page has all that it shows. */
  readonly until?: string
}

/** The pages of `npm run screenshots`. */
export const pictures: readonly PictureOf[] = [
  { name: 'front', path: '/' },
  { name: 'front-phone', path: '/', width: 390 },
  { name: 'market', path: '/market' },
  { name: 'market-phone', path: '/market', width: 390 },
  { name: 'service', path: '/services/{weather}' },
  { name: 'forum', path: '/forum' },
  { name: 'topic', path: '/forum/{topic}' },
  { name: 'overview', path: '/app', as: 'owner', until: 'Succeeded' },
  { name: 'overview-phone', path: '/app', as: 'owner', width: 390, until: 'Succeeded' },
  { name: 'overview-new', path: '/app', as: 'newcomer', until: 'Get started' },
  { name: 'deposit', path: '/app/deposit', as: 'owner', until: 'Credited' },
  { name: 'deposit-phone', path: '/app/deposit', as: 'owner', width: 390, until: 'Credited' },
  { name: 'credentials', path: '/app/credentials', as: 'owner', until: 'nightly reports' },
  { name: 'credentials-phone', path: '/app/credentials', as: 'owner', width: 390, until: 'nightly reports' },
  { name: 'credential-new', path: '/app/credentials?new=true', as: 'owner', until: 'Create credential' },
  { name: 'credential-open', path: '/app/credentials?open={credential}', as: 'owner', until: 'History' },
  { name: 'policy', path: '/app/policy', as: 'owner', until: 'left this month' },
  { name: 'policy-phone', path: '/app/policy', as: 'owner', width: 390, until: 'left this month' },
  { name: 'ledger', path: '/app/ledger', as: 'owner', until: 'Deposit' },
  { name: 'ledger-phone', path: '/app/ledger', as: 'owner', width: 390, until: 'Deposit' },
  { name: 'provider', path: '/provider', as: 'provider', until: 'Healthy' },
  { name: 'provider-phone', path: '/provider', as: 'provider', width: 390, until: 'Healthy' },
  { name: 'provider-first', path: '/provider', as: 'newcomer', until: 'Get started' },
  { name: 'provider-register', path: '/provider/new', as: 'provider', until: 'Where calls go' },
  {
    name: 'provider-register-phone',
    path: '/provider/new',
    as: 'provider',
    width: 390,
    until: 'Where calls go',
  },
  { name: 'provider-register-curl', path: '/provider/new?by=curl', as: 'provider', until: 'Read command' },
  { name: 'provider-register-json', path: '/provider/new?by=json', as: 'provider', until: 'Manifest' },
  { name: 'provider-service', path: '/provider/{weather}', as: 'provider', until: 'answered' },
  {
    name: 'provider-service-phone',
    path: '/provider/{weather}',
    as: 'provider',
    width: 390,
    until: 'answered',
  },
  { name: 'provider-settings', path: '/provider/{weather}?tab=settings', as: 'provider', until: 'Schemas' },
  { name: 'provider-earnings', path: '/provider/earnings', as: 'provider', until: 'paid calls' },
  {
    name: 'provider-earnings-phone',
    path: '/provider/earnings',
    as: 'provider',
    width: 390,
    until: 'paid calls',
  },
  { name: 'provider-secrets', path: '/provider/secrets', as: 'provider', until: 'Audit log' },
  { name: 'provider-usage', path: '/provider/usage', as: 'provider', until: 'A provider secret' },
  { name: 'provider-withdraw', path: '/provider/withdraw', as: 'provider', until: 'New withdrawal' },
  {
    name: 'provider-withdraw-phone',
    path: '/provider/withdraw',
    as: 'provider',
    width: 390,
    until: 'New withdrawal',
  },
]
