import type { InclusionAnswer, Reserves } from '@farebox/wire/balance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proveLiabilities } from '../../src/domains/ledger/proof/prove-liabilities.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { ownerWith, type Person } from '../kit/world/world.ts'
import { runProgram, startLiar } from './programs.ts'

let on: TestGateway
let token: string
beforeAll(async () => {
  on = await startTestGateway()
  const owners: Person[] = []
  for (const amount of ['3', '4.5', '0.25']) owners.push(await ownerWith(on, amount))
  token = owners[1]?.token ?? ''
  await proveLiabilities(on.gateway.deps)
  // Requests within a second share an answer.
  await until('the tree is shown', async () => {
    return (await send<Reserves>(on.url, '/api/v1/proof/reserves')).body.tree?.wallets === owners.length
  })
})
afterAll(() => on.stop())

const verify = (gateway: string, env: Record<string, string> = {}, args: string[] = []) =>
  runProgram('examples/verify-reserves/verify-reserves.ts', [gateway, ...args], env)

describe('the public example', () => {
  test('verifies that an honest gateway covers what it owes, with one’s own balance', async () => {
    const { code, output } = await verify(on.url, { TOKEN: token })
    expect(output).not.toContain('FAIL')
    expect(output).toContain('wallets are owed 7.750000 USDC')
    expect(output).toContain('held 7750000 millionths')
    expect(output).toContain('is owed 4.500000 USDC: is that what you have?')
    expect(output).toContain('All that could be checked holds.')
    expect(code).toBe(0)
  })

  test('needs no token for public data, and accepts chain, vault and token as options', async () => {
    const { rpcUrl, contracts } = on.chain
    const known = ['--rpc', rpcUrl, '--vault', contracts.vault, '--usdc', contracts.usdc]
    const { code, output } = await verify(on.url, {}, known)
    expect(output).toContain('skip your own balance')
    expect(code).toBe(0)
    expect((await verify(on.url, {}, ['--vault', contracts.usdc])).output).toContain('FAIL the vault')
  })

  test('says in one line why it cannot check', async () => {
    const nobody = await verify('http://127.0.0.1:1', { TOKEN: token })
    expect(nobody).toMatchObject({ code: 1, output: 'http://127.0.0.1:1 cannot be reached.\n' })
    const refused = await verify(on.url, { TOKEN: 'agt_1' })
    expect(refused.output).toMatch(/\n\/proof\/inclusion\S* answered 401: .*\n$/)
    expect([refused.code, refused.output.match(/^ +at /m)]).toEqual([1, null])
  })

  const changeTree = (change: Partial<NonNullable<Reserves['tree']>>) => (path: string, body: object) =>
    path === '/proof/reserves' ? { ...body, tree: { ...(body as Reserves).tree, ...change } } : body
  const changeInclusion =
    (change: (printed: InclusionAnswer) => Partial<InclusionAnswer>) => (path: string, body: object) =>
      path.startsWith('/proof/inclusion') ? { ...body, ...change(body as InclusionAnswer) } : body

  test.each([
    ['more than it has', changeTree({ vaultBalanceUsdc: '9.000000' }), 'FAIL the vault'],
    ['less than it owes', changeTree({ walletsUsdc: '3.000000' }), 'FAIL wallets are owed'],
    [
      'less than it owes, throughout',
      changeTree({ walletsUsdc: '7.000000', consumerUsdc: '7.000000' }),
      'FAIL the sums on the path',
    ],
    ['a root without the wallet', changeTree({ asOf: 'now', merkleRoot: `0x${'ab'.repeat(32)}` }), '404'],
    [
      'another balance',
      changeInclusion(() => ({ balanceUsdc: '4.500001' })),
      'FAIL your leaf is under the root',
    ],
    [
      'that others have less',
      changeInclusion(({ branch }) => ({ branch: branch.map(node => ({ ...node, sumUsdc: '0.000000' })) })),
      'FAIL your leaf is under the root',
    ],
    [
      'that others have negative balances',
      changeInclusion(({ branch }) => ({ branch: branch.map(node => ({ ...node, sumUsdc: '-3.000000' })) })),
      'is no amount that may be owed',
    ],
    [
      'that its books are broken',
      (path: string, body: object) => (path === '/proof/reserves' ? { ...body, consistent: false } : body),
      'FAIL the gateway says',
    ],
  ])('detects a gateway that claims %s', async (_what, lie, printed) => {
    const liar = await startLiar(on.url, lie)
    try {
      const { code, output } = await verify(liar.url, { TOKEN: token })
      expect(output).toContain(printed)
      expect(code).toBe(1)
    } finally {
      await liar.stop()
    }
  })

  test('detects a vault that does not cover what is owed', async () => {
    const liar = await startLiar(on.url, changeTree({ consumerUsdc: '8.000000', walletsUsdc: '8.000000' }))
    try {
      const { code, output } = await verify(liar.url)
      expect(output).toContain('FAIL that covers what is owed')
      expect(code).toBe(1)
    } finally {
      await liar.stop()
    }
  })
})
