import type { Page } from 'playwright-core'

/** A page to take screenshots of. */
export type PictureOf = {
  /** Name of the files. */
  readonly name: string
  /** `{echo}`, `{llm}` and `{topic}` stand for ids of the demo data. */
  readonly path: string
  /**
   * Signed in as the owner of the demo data (with money, credentials and calls), its provider, an admin, or a new
   * wallet; signed out by default.
   */
  readonly as?: 'owner' | 'provider' | 'admin' | 'newcomer'
  /** Only the visible part, for pages with overlays. */
  readonly isWindow?: true
  /** A text that appears once the page has loaded. */
  readonly until?: string
  /** Actions before the screenshot. */
  readonly steps?: (page: Page) => Promise<void>
}

/** Returns the path of a page with the ids of the demo data. */
export const pathOf = ({ path }: PictureOf, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => ids[name] ?? name)

const bringCredential = (page: Page) => page.getByRole('button', { name: 'Create one' }).click()
const draftService = async (page: Page) => {
  const open = (step: string) =>
    page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name: step }).click()
  await page.getByLabel('Name', { exact: true }).fill('Tides')
  await page.getByLabel('Summary').fill('High and low water of any harbour, for the next ten days.')
  await page.getByLabel('Tags').fill('tides, sea')
  await open('How it is called')
  await page.getByLabel('URL of target 1').fill('https://tides.example/v1/tides')
  await open('Price')
  await page.getByLabel('Price of a call').fill('0.02')
  await open('Review')
}
const callOnce = async (page: Page) => {
  await bringCredential(page)
  await page.getByRole('button', { name: /^Call for/ }).click()
}
const makeVouchers = async (page: Page) => {
  await page.getByRole('button', { name: 'Create vouchers' }).click()
  await page.getByLabel('Quantity').fill('3')
  await page.getByRole('dialog').getByRole('button', { name: 'Create vouchers' }).click()
  await page.getByRole('button', { name: 'I have saved them' }).click()
}
const suspend = async (page: Page) => {
  await page.getByLabel('Tool name or id').fill('weather')
  await page.getByRole('button', { name: 'Suspend…' }).first().click()
}
const chatOnce = async (page: Page) => {
  await bringCredential(page)
  await page.getByLabel('Message').fill('Who pays the ferryman?')
  await page.getByLabel('Message').press('Enter')
  const receipts = page.getByRole('button', { name: 'Receipt' })
  await receipts.first().waitFor()
  await page.getByLabel('Message').fill('And who pays for a river that is dry?')
  await page.getByLabel('Message').press('Enter')
  await receipts.nth(1).waitFor()
}

/** The pages of `npm run screenshots`. */
export const pictures: readonly PictureOf[] = [
  { name: 'front', path: '/' },
  { name: 'market', path: '/market' },
  {
    name: 'market-of-provider',
    path: '/services/{echo}',
    steps: async page => {
      await page.getByTitle('All services of').click()
      await page.getByText('Provider0x').waitFor()
    },
  },
  { name: 'service', path: '/services/{weather}' },
  { name: 'service-model', path: '/services/{ferry-small}', until: 'cache read' },
  { name: 'service-files', path: '/services/{ocr}', until: 'Form with files' },
  { name: 'compare', path: '/models/compare?ids={ferry-small},{sample-llm}' },
  { name: 'docs', path: '/docs' },
  { name: 'docs-guide', path: '/docs/models' },
  { name: 'docs-reference', path: '/docs/reference' },
  { name: 'sign-in', path: '/app', until: 'Sign in' },
  { name: 'forum', path: '/forum' },
  { name: 'topic', path: '/forum/{topic}' },
  { name: 'overview', path: '/app', as: 'owner', until: 'Succeeded' },
  { name: 'overview-new', path: '/app', as: 'newcomer', until: 'Get started' },
  { name: 'deposit', path: '/app/deposit', as: 'owner', until: 'Credited' },
  { name: 'credentials', path: '/app/credentials', as: 'owner', until: 'nightly reports' },
  { name: 'credential-new', path: '/app/credentials?new=true', as: 'owner', until: 'Create credential' },
  { name: 'credential-open', path: '/app/credentials?open={credential}', as: 'owner', until: 'History' },
  { name: 'policy', path: '/app/policy', as: 'owner', until: 'left this month' },
  { name: 'ledger', path: '/app/ledger', as: 'owner', until: 'Deposit' },
  { name: 'provider', path: '/provider', as: 'provider', until: 'Healthy' },
  { name: 'provider-first', path: '/provider', as: 'newcomer', until: 'Get started' },
  { name: 'provider-register', path: '/provider/new', as: 'provider', until: 'Tool name' },
  {
    name: 'provider-register-review',
    path: '/provider/new',
    as: 'provider',
    until: 'Ready to register',
    steps: draftService,
  },
  { name: 'provider-register-curl', path: '/provider/new?by=curl', as: 'provider', until: 'Parse command' },
  { name: 'provider-register-json', path: '/provider/new?by=json', as: 'provider', until: 'Manifest' },
  { name: 'provider-service', path: '/provider/{weather}', as: 'provider', until: 'answered' },
  { name: 'provider-model', path: '/provider/{ferry-small}', as: 'provider', until: 'cache reads' },
  { name: 'provider-settings', path: '/provider/{weather}?tab=settings', as: 'provider', until: 'Schemas' },
  { name: 'provider-earnings', path: '/provider/earnings', as: 'provider', until: 'paid calls' },
  { name: 'provider-secrets', path: '/provider/secrets', as: 'provider', until: 'Audit log' },
  { name: 'provider-usage', path: '/provider/usage', as: 'provider', until: 'A provider secret' },
  { name: 'provider-withdraw', path: '/provider/withdraw', as: 'provider', until: 'New withdrawal' },
  { name: 'activity', path: '/app/activity', as: 'owner', until: 'By service' },
  { name: 'calls', path: '/app/calls', as: 'owner', until: 'Succeeded' },
  {
    name: 'call-receipt',
    isWindow: true,
    path: '/app/calls/{metered-call}',
    as: 'owner',
    until: 'Request hash',
  },
  {
    name: 'call-fallback',
    isWindow: true,
    path: '/app/calls/{fallback-call}',
    as: 'owner',
    until: 'Request hash',
  },
  {
    name: 'call-failed',
    isWindow: true,
    path: '/app/calls/{failed-call}',
    as: 'owner',
    until: 'Request hash',
  },
  { name: 'profile', path: '/app/profile', as: 'owner', until: 'Sign and save' },
  { name: 'profile-pending', path: '/app/profile', as: 'provider', until: 'Send a new code' },
  { name: 'alerts', path: '/app/alerts', as: 'owner', until: 'Low balance' },
  { name: 'alerts-none', path: '/app/alerts', as: 'newcomer', until: 'Turn on default alerts' },
  { name: 'webhooks', path: '/app/webhooks', as: 'owner', until: 'Off' },
  { name: 'webhook-open', path: '/app/webhooks?open={webhook}', as: 'owner', until: 'Delivered' },
  { name: 'webhook-new', path: '/app/webhooks?new=true', as: 'owner', until: 'Create webhook' },
  { name: 'proof', path: '/proof', until: 'Sound' },
  { name: 'proof-own', path: '/app/proof', as: 'owner', until: 'are in the reserves' },
  { name: 'playground', path: '/playground', until: 'Weather now' },
  {
    name: 'playground-call',
    path: '/playground?service=weather',
    as: 'owner',
    steps: callOnce,
    until: 'Full receipt',
  },
  {
    name: 'playground-chat',
    path: '/playground?service=sample-llm',
    as: 'owner',
    steps: chatOnce,
    until: '2 turns',
    isWindow: true,
  },
  { name: 'playground-nobody', path: '/playground?service=sample-llm', until: 'Ask the model' },
  { name: 'provider-traffic', path: '/provider/traffic', as: 'provider', until: 'Succeeded' },
  { name: 'admin-review', path: '/admin', as: 'admin', until: 'First payment' },
  {
    name: 'admin-approve',
    path: '/admin',
    as: 'admin',
    steps: page => page.getByRole('button', { name: 'Approve' }).first().click(),
    until: 'Reason for review',
    isWindow: true,
  },
  { name: 'admin-health', path: '/admin/health', as: 'admin', until: 'Ledger partitions' },
  { name: 'admin-refused', path: '/admin', as: 'owner', until: 'Only admins can see this page' },
  { name: 'admin-support', path: '/admin/support', as: 'admin', until: 'Abuse' },
  { name: 'admin-forum', path: '/admin/forum', as: 'admin', until: 'Prices per page' },
  { name: 'admin-suspension', path: '/admin/suspension', as: 'admin', until: 'Nothing is suspended' },
  { name: 'admin-vouchers', path: '/admin/vouchers', as: 'admin', steps: makeVouchers, until: 'Redeemed' },
  { name: 'admin-reconcile', path: '/admin/reconcile', as: 'admin', until: 'The books are' },
  { name: 'admin-audit', path: '/admin/audit', as: 'admin', until: 'Audit log' },
  { name: 'admin-suspend', path: '/admin/suspension', as: 'admin', steps: suspend, until: 'to confirm' },
]
