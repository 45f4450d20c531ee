// Who may import whom. The ladder of ARCHITECTURE.md, as a check.
const ladder = {
  ledger: [],
  redaction: [],
  auth: [],
  profiles: ['auth'],
  webhooks: ['auth'],
  alerts: ['auth', 'profiles', 'webhooks'],
  forum: ['auth'],
  feedback: ['auth', 'forum', 'redaction'],
  vouchers: ['auth', 'ledger'],
  credentials: ['auth', 'ledger'],
  secrets: ['auth'],
  services: ['auth', 'credentials', 'secrets', 'signing', 'redaction'],
  authoring: ['auth', 'services', 'redaction'],
  health: ['auth', 'services', 'secrets', 'webhooks'],
  deposits: ['auth', 'ledger', 'webhooks'],
  withdrawals: ['auth', 'ledger', 'webhooks'],
  signing: ['auth', 'secrets'],
  oauth: ['auth', 'credentials'],
  invocation: ['auth', 'credentials', 'secrets', 'services', 'ledger', 'webhooks'],
  compat: ['auth', 'invocation', 'services', 'credentials', 'ledger'],
  x402: ['auth', 'invocation', 'services', 'credentials', 'ledger', 'deposits'],
  admin: [
    'auth',
    'ledger',
    'credentials',
    'secrets',
    'services',
    'health',
    'deposits',
    'withdrawals',
    'invocation',
    'profiles',
    'webhooks',
    'forum',
    'feedback',
    'vouchers',
  ],
}
const src = '^apps/gateway/src'
// The guards of owners and admins are for every domain's routes.
const guards = `${src}/domains/auth/require-(owner|admin)[.]ts$`
const isTest = '\\.test\\.ts$'

const rungs = Object.entries(ladder).map(([domain, below]) => ({
  name: `ladder-${domain}`,
  severity: 'error',
  comment: `domains/${domain} may call only: ${below.join(', ') || 'no other domain'}.`,
  from: { path: `${src}/domains/${domain}/`, pathNot: isTest },
  to: {
    path: `${src}/domains/`,
    pathNot: [...[domain, ...below].map(name => `${src}/domains/${name}/`), guards],
  },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...rungs,
    {
      name: 'private-files-of-a-domain',
      severity: 'error',
      comment:
        'rules.ts, store.ts and their kin, in any room of a domain, are closed to other domains; routes.ts is for the composition only.',
      from: { path: `${src}/domains/([^/]+)/`, pathNot: isTest },
      to: {
        path: ['rules', 'store', 'routes', 'present'].map(kind => `${src}/domains/.*${kind}[.]ts$`),
        pathNot: `${src}/domains/$1/`,
      },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      comment: 'A rule imports money, wire, node:crypto at most, and other rules.',
      from: { path: `${src}/domains/.*rules\\.ts$` },
      to: {
        pathNot: ['^packages/(money|wire)/', `${src}/domains/.*rules[.]ts$`, '^crypto$', '^zod$'],
      },
    },
    {
      name: 'drivers-only-in-adapters',
      severity: 'error',
      from: { path: `${src}/`, pathNot: [`${src}/(adapters|dev|tour)/`, isTest] },
      to: {
        path: 'node_modules/(pg|undici|nodemailer|graphile-worker|smtp-server|postal-mime|prom-client|@opentelemetry/(sdk|exporter|resources)|ipaddr\\.js|gpt-tokenizer)/',
      },
    },
    {
      name: 'adapters-know-no-domain',
      severity: 'error',
      from: { path: `${src}/(adapters|http)/`, pathNot: isTest },
      to: { path: `${src}/(domains|dev)/` },
    },
    {
      name: 'http-owns-no-sql',
      severity: 'error',
      comment: 'Statements are where their tables are: in the store of a domain, in adapters or in sql.',
      from: { path: `${src}/http/`, pathNot: isTest },
      to: { path: [`${src}/sql/`, 'node_modules/(sql-template-tag|pg)/'] },
    },
    {
      name: 'config-imports-nothing-of-ours',
      severity: 'error',
      from: { path: `${src}/(config|settings|setting-schemas|secret-file)[.]ts$` },
      to: { path: '^(apps|packages)/', pathNot: `${src}/(settings|setting-schemas|secret-file)[.]ts$` },
    },
    {
      name: 'money-imports-nothing',
      severity: 'error',
      from: { path: '^packages/money/src/', pathNot: isTest },
      to: { pathNot: '^packages/money/src/' },
    },
    {
      name: 'wire-imports-money-only',
      severity: 'error',
      from: { path: '^packages/wire/src/', pathNot: isTest },
      to: { path: '^(apps|packages)/', pathNot: '^packages/(money|wire)/src/' },
    },
    {
      name: 'development-mode-is-a-leaf',
      severity: 'error',
      comment:
        'Only the programs (main.ts, and those that find their place) may start development mode; the gateway never leans on it.',
      from: {
        path: `${src}/`,
        pathNot: [`${src}/(dev|tour)/`, `${src}/bin/(main|find-place)[.]ts$`, isTest],
      },
      to: { path: `${src}/dev/` },
    },
    {
      name: 'console-features-stand-alone',
      severity: 'error',
      comment:
        'A feature of the console imports no other; what they share is in ui, session, wallet or api.ts.',
      from: { path: '^apps/console/src/features/([^/]+)/' },
      to: { path: '^apps/console/src/features/', pathNot: '^apps/console/src/features/$1/' },
    },
    {
      name: 'console-ui-knows-nothing',
      severity: 'error',
      comment: 'Components of the design system know no page, no session and no wallet.',
      from: { path: '^apps/console/src/ui/' },
      to: { path: '^apps/console/src/', pathNot: '^apps/console/src/ui/' },
    },
    {
      name: 'console-knows-the-gateway-by-its-contract',
      severity: 'error',
      from: { path: '^(apps/console|packages/client)/src/' },
      to: { path: '^apps/gateway/' },
    },
    {
      name: 'client-is-for-callers',
      severity: 'error',
      comment: 'The gateway answers; the tour calls it, as everybody does.',
      from: { path: `${src}/`, pathNot: [`${src}/tour/`, isTest] },
      to: { path: '^packages/client/' },
    },
    {
      name: 'cli-knows-the-gateway-by-the-client',
      severity: 'error',
      comment: 'The command line calls a gateway as everybody does, and the vault by its ABI.',
      from: { path: '^packages/cli/src/', pathNot: isTest },
      to: { path: '^(apps|packages)/', pathNot: '^packages/(cli|client|money|vault)/' },
    },
    {
      name: 'examples-are-copied',
      severity: 'error',
      comment: 'An example knows the gateway by the client, or by nothing of ours.',
      from: { path: '^examples/' },
      to: { path: '^(apps|packages)/', pathNot: '^packages/client/' },
    },
    {
      name: 'lab-parts-share-the-kit-only',
      severity: 'error',
      comment: 'Programs of the lab import lab/kit, not one another; the kit imports none of them.',
      from: { path: '^lab/([^/]+)/' },
      to: { path: '^lab/', pathNot: ['^lab/$1/', '^lab/kit/'] },
    },
    {
      name: 'lab-is-a-leaf',
      severity: 'error',
      from: { path: '^(apps|packages|examples)/' },
      to: { path: '^lab/' },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.gen\\.ts$|^(apps/console|packages/[^/]+)/dist/|^apps/console/screenshots/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
