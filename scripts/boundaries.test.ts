import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser'
import { afterAll, beforeAll, expect, test } from 'vitest'

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration
const src = 'apps/gateway/src'
const domain = (name: string, file: string) => `${src}/domains/${name}/${file}`

/** A file that imports what the rule forbids: another file of the tree, or a package. */
type Breach = { readonly rule: string; readonly from: string; readonly to: string }

/** Each rung of the ladder forbids at least the domain that it names last below itself: admin, which nobody may call. */
const rungs: readonly Breach[] = (config.forbidden ?? []).flatMap(({ name = '' }) => {
  const [, caller] = /^ladder-(.+)$/.exec(name) ?? []
  if (caller === undefined) return []
  const called = caller === 'admin' ? 'compat' : 'admin'
  return [{ rule: name, from: domain(caller, 'act.ts'), to: domain(called, 'list.ts') }]
})

const breaches: readonly Breach[] = [
  ...rungs,
  { rule: 'no-circular', from: 'packages/money/src/one.ts', to: 'packages/money/src/two.ts' },
  ...['rules', 'store', 'routes', 'present'].flatMap(kind =>
    [`${kind}.ts`, `hold-${kind}.ts`, `room/${kind}.ts`, `room/room/hold-${kind}.ts`].map(file => ({
      rule: 'private-files-of-a-domain',
      from: domain('invocation', `use-${file.replaceAll('/', '-')}`.replace('.ts', '-file.ts')),
      to: domain('ledger', file),
    })),
  ),
  { rule: 'rules-are-pure', from: domain('ledger', 'rules.ts'), to: domain('ledger', 'read.ts') },
  { rule: 'rules-are-pure', from: domain('ledger', 'room/hold-rules.ts'), to: `${src}/runtime/clock.ts` },
  { rule: 'drivers-only-in-adapters', from: `${src}/runtime/query.ts`, to: 'pg' },
  { rule: 'adapters-know-no-domain', from: `${src}/adapters/send.ts`, to: domain('ledger', 'read.ts') },
  { rule: 'adapters-know-no-domain', from: `${src}/http/limits/count.ts`, to: domain('ledger', 'read.ts') },
  { rule: 'http-owns-no-sql', from: `${src}/http/select.ts`, to: `${src}/sql/rows.ts` },
  { rule: 'http-owns-no-sql', from: `${src}/http/write.ts`, to: 'sql-template-tag' },
  { rule: 'config-imports-nothing-of-ours', from: `${src}/config.ts`, to: `${src}/runtime/clock.ts` },
  { rule: 'money-imports-nothing', from: 'packages/money/src/amount.ts', to: 'zod' },
  { rule: 'wire-imports-money-only', from: 'packages/wire/src/body.ts', to: 'packages/client/src/ask.ts' },
  { rule: 'development-mode-is-a-leaf', from: domain('ledger', 'start.ts'), to: `${src}/dev/samples.ts` },
  {
    rule: 'console-features-stand-alone',
    from: 'apps/console/src/features/owner/calls/list.tsx',
    to: 'apps/console/src/features/provider/earn.tsx',
  },
  {
    rule: 'console-ui-knows-nothing',
    from: 'apps/console/src/ui/values/who.tsx',
    to: 'apps/console/src/session/session.ts',
  },
  {
    rule: 'console-knows-the-gateway-by-its-contract',
    from: 'apps/console/src/api.ts',
    to: domain('ledger', 'read.ts'),
  },
  {
    rule: 'console-knows-the-gateway-by-its-contract',
    from: 'packages/client/src/call.ts',
    to: domain('ledger', 'read.ts'),
  },
  { rule: 'client-is-for-callers', from: `${src}/runtime/ask.ts`, to: 'packages/client/src/ask.ts' },
  { rule: 'cli-knows-the-gateway-by-the-client', from: 'packages/cli/src/pay.ts', to: `${src}/main-of.ts` },
  { rule: 'examples-are-copied', from: 'examples/agent/agent.ts', to: 'packages/wire/src/errors.ts' },
  { rule: 'lab-parts-share-the-kit-only', from: 'lab/chaos/run.ts', to: 'lab/bench/run.ts' },
  { rule: 'lab-parts-share-the-kit-only', from: 'lab/kit/run.ts', to: 'lab/bench/run.ts' },
  { rule: 'lab-is-a-leaf', from: 'packages/vault/src/run.ts', to: 'lab/kit/gateway.ts' },
  { rule: 'no-unresolved', from: 'packages/money/src/lost.ts', to: 'packages/money/src/nowhere.ts' },
]

/** Imports that look like breaches and are none. */
const allowed: readonly Omit<Breach, 'rule'>[] = [
  { from: domain('ledger', 'room/read-again.ts'), to: domain('ledger', 'store.ts') },
  { from: domain('invocation', 'hold-it.ts'), to: domain('ledger', 'append.ts') },
  { from: domain('forum', 'guarded.ts'), to: domain('auth', 'require-owner.ts') },
  { from: domain('ledger', 'balance-rules.ts'), to: 'packages/money/src/index.ts' },
  { from: `${src}/domains/forum/post.test.ts`, to: domain('ledger', 'store.ts') },
  { from: `${src}/bin/main.ts`, to: `${src}/dev/samples.ts` },
  { from: 'lab/chaos/part/start.ts', to: 'lab/kit/gateway.ts' },
]

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'boundaries-')))
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'tsconfig.json'), '{ "compilerOptions": { "allowImportingTsExtensions": true } }')
  const isFile = (to: string) => to.includes('/')
  for (const { to, ...rest } of [...breaches, ...allowed]) {
    const isMissing = 'rule' in rest && rest.rule === 'no-unresolved'
    if (isFile(to) && !isMissing) plant(to, 'export {}\n')
  }
  for (const { from, to } of [...breaches, ...allowed]) {
    const path = relative(dirname(join(root, from)), join(root, to))
    plant(from, `import '${isFile(to) ? path.replace(/^(?!\.)/, './') : to}'\n`)
  }
  plant('packages/money/src/two.ts', "import './one.ts'\n")
})
afterAll(() => rmSync(root, { recursive: true }))

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('each import rule detects its violations at every level, and allows the rest', async () => {
  const places = ['apps', 'packages', 'lab', 'examples']
  const { output } = await cruise(places, {
    ...config.options,
    baseDir: root,
    tsConfig: { fileName: join(root, 'tsconfig.json') },
    validate: true,
    ruleSet: { forbidden: config.forbidden ?? [] },
  })
  const found = (output as ICruiseResult).summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
  for (const { rule, from } of breaches) expect(found).toContain(`${rule}: ${from}`)
  for (const { from } of allowed) expect(found.filter(text => text.endsWith(`: ${from}`))).toEqual([])
  const rules = new Set((config.forbidden ?? []).map(({ name }) => name))
  expect(new Set(breaches.map(({ rule }) => rule))).toEqual(rules)
})
