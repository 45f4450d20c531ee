import { chmod, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { parseUsdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { createWalletClient, encodeFunctionData, erc20Abi, getAddress, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../apps/gateway/test/kit/chain/rpc-proxy.ts'
import { startTestGateway, type TestGateway } from '../../../apps/gateway/test/kit/gateway/test-gateway.ts'
import { post } from '../../../apps/gateway/test/kit/network/http.ts'
import { startProvider, type TestProvider } from '../../../apps/gateway/test/kit/provider/provider.ts'
import { arrive, register } from '../../../apps/gateway/test/kit/world/world.ts'
import { startLiar } from '../../../apps/gateway/test/proof/programs.ts'
import { type Cli, openCli, type Run } from './kit/cli.ts'
import { startFaultyProxy } from './kit/faulty-proxy.ts'

const FUNDS = '10'

let on: TestGateway
let node: RpcProxy
let upstream: TestProvider
let cli: Cli
let keyFile: string
let address: `0x${string}`

beforeAll(async () => {
  ;[on, upstream] = await Promise.all([startTestGateway(), startProvider()])
  node = await startRpcProxy(on.chain.rpcUrl)
  const manifest = { agentToolName: 'tides' }
  await register(on, await arrive(on), { targets: [upstream.url], priceUsdc: '0.01', manifest })
})
afterAll(async () => {
  await on.assertBooks()
  await Promise.all([node.stop(), upstream.stop()])
  await on.stop()
})
beforeEach(async () => {
  const key = generatePrivateKey()
  ;({ address } = privateKeyToAccount(key))
  cli = await openCli({ FAREBOX_URL: on.url, FAREBOX_RPC_URL: node.url })
  keyFile = await cli.write('wallet.key', `${key}\n`)
  await on.chain.client.setBalance({ address, value: parseEther('1') })
  await on.chain.fund(address, parseUsdc(FUNDS))
})
afterEach(async () => {
  node.misbehave()
  await cli.remove()
})

const login = (...more: string[]) => cli.json(['login', '--key-file', keyFile, ...more])
const stateFile = () => join(cli.home, '.config/farebox/state.json')
const available = async () => (await cli.json<Record<string, string>>(['balance'])).consumer_available_balance
const nonceOf = () => on.chain.client.getTransactionCount({ address })

describe('a sign-in', () => {
  test('is stored for its owner only, without the key, until the sign-out', async () => {
    const vault = getAddress(on.chain.contracts.vault)
    expect(await login()).toMatchObject({ wallet: address, gateway: on.url, vault })
    expect((await stat(stateFile())).mode & 0o777).toBe(0o600)
    expect((await stat(join(cli.home, '.config/farebox'))).mode & 0o777).toBe(0o700)
    const key = (await readFile(keyFile, 'utf8')).trim()
    expect(await readFile(stateFile(), 'utf8')).not.toContain(key.slice(2))
    const shown = await cli.run(['balance'])
    expect(shown.stdout).toContain(`Wallet          ${address} at ${on.url}`)
    expect(shown.stdout).toContain('Available       0.000000 USDC')
    expect((await cli.run(['logout'])).code).toBe(0)
    const out = await cli.run(['balance'])
    expect(out).toMatchObject({ code: 3, stdout: '' })
    expect(out.stderr).toContain(`farebox login --key-file FILE --gateway ${on.url}`)
  })

  test('refuses a key file that others can read, and explains the remedy', async () => {
    await chmod(keyFile, 0o644)
    const refused = await cli.run(['login', '--key-file', keyFile])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(`Others can access the key file ${keyFile} (mode 644).`)
    expect(refused.stderr).toContain(`Run: chmod 600 ${keyFile}`)
    await chmod(keyFile, 0o600)
    await login()
    await chmod(stateFile(), 0o640)
    expect((await cli.run(['balance'])).stderr).toContain(`chmod 600 ${stateFile()}`)
  })

  test('reads the key from the environment, and never prints it', async () => {
    const key = (await readFile(keyFile, 'utf8')).trim()
    expect((await cli.run(['login'], { env: { FAREBOX_KEY: key } })).code).toBe(0)
    expect((await cli.run(['login'], { env: { FAREBOX_KEY_FILE: keyFile } })).code).toBe(0)
    for (const [bad, message] of [
      [`${key}00`, 'There is no private key in FAREBOX_KEY'],
      [`0x${'f'.repeat(64)}`, 'The number in FAREBOX_KEY is not a private key.'],
    ] as const) {
      const { code, stderr } = await cli.run(['login'], { env: { FAREBOX_KEY: bad } })
      expect(code).toBe(2)
      expect(stderr).toContain(message)
      expect(stderr).not.toContain(bad.slice(2, 20))
    }
    expect((await cli.run(['login'])).stderr).toContain('No private key was given.')
  })

  test('is sent to no other gateway', async () => {
    await login()
    expect((await cli.run(['balance'], { env: { FAREBOX_URL: '', FAREBOX_PROFILE: '' } })).code).toBe(0)
    const elsewhere = await cli.run(['balance', '--gateway', 'http://127.0.0.1:1'])
    expect(elsewhere).toMatchObject({ code: 3, stdout: '' })
    expect(elsewhere.stderr).toContain(`The profile is signed in to ${on.url}.`)
  })

  test('that cannot be stored says where, and how to store it elsewhere', async () => {
    const gone = join(cli.home, 'gone')
    await symlink(join(cli.home, 'nowhere/else'), gone)
    const kept = await cli.run(['login', '--key-file', keyFile], { env: { XDG_CONFIG_HOME: gone } })
    expect(kept).toMatchObject({ code: 2, stdout: '' })
    expect(kept.stderr).toMatch(
      /cannot be written: .*\n {2}FILE_NOT_WRITTEN\n {2}To keep the state elsewhere: /,
    )
  })

  test('under another profile is proposed, as each next command, for that profile', async () => {
    await login('--profile', 'shop')
    await cli.run(['logout', '--profile', 'shop'])
    for (const [args, next] of [
      [['balance'], 'login --key-file FILE'],
      [['invoke', 'tides', '-f', 'a=b'], 'credentials mint --save'],
      [['discover', '--show', 'tides'], 'invoke tides --field name=value'],
    ] as const) {
      const { stderr } = await cli.run([...args, '--profile', 'shop'])
      expect(stderr).toContain(`farebox ${next} --gateway ${on.url} --profile shop`)
    }
  })

  test.each([
    ['site', /^\S+/, 'bank.example', 'bank.example as its domain'],
    ['wallet', /0x[0-9a-fA-F]{40}/, `0x${'1'.repeat(40)}`, `0x${'1'.repeat(40)} as its wallet`],
    ['chain', /Chain ID: \d+/, 'Chain ID: 1', '1 as its chain'],
  ])('does not sign a message for another %s', async (_, part, forged, named) => {
    const liar = await startLiar(on.url, (path, body) =>
      path.startsWith('/auth/challenge')
        ? { ...body, challenge: String(body.challenge).replace(part, forged) }
        : body,
    )
    const domain = new URL(on.url).host
    const args = ['login', '--gateway', liar.url, '--domain', domain, '--key-file', keyFile]
    const refused = await cli.run(args)
    await liar.stop()
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain(`The sign-in message names ${named}`)
    expect(refused.stderr).toContain('Nothing was signed.')
  })
})

describe('a deposit', () => {
  test('shows what it signs, and is credited', async () => {
    await login()
    const { code, stdout, stderr } = await cli.run(['deposit', '2.5', '--key-file', keyFile, '--yes'])
    expect(stderr).toContain('Deposit 2.500000 USDC')
    expect(stderr).toContain(`from   ${address}, which holds 10.000000 USDC and 1 ether`)
    expect(stderr).toContain('signs  an approval of 2.500000 USDC, and the deposit')
    expect(stdout).toMatch(/^Credited 2\.500000 USDC \(dep_\w+, transaction 0x[0-9a-f]{64}\)\.\n$/)
    expect(code).toBe(0)
    expect(await available()).toBe('2.500000')
  })

  test('without consent, money or gas signs nothing', async () => {
    await login()
    const before = await nonceOf()
    const asked = await cli.run(['deposit', '1', '--key-file', keyFile])
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('Pass --yes.')
    const poor = await cli.run(['deposit', '10.000001', '--key-file', keyFile, '--yes'])
    expect(poor).toMatchObject({ code: 4, stdout: '' })
    expect(poor.stderr).toContain('holds 10.000000 USDC of 10.000001')
    const dead = 'http://127.0.0.1:9'
    const lost = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--rpc', dead])
    expect(lost.stderr).toContain(`The node ${dead}/ cannot be reached.`)
    await on.chain.client.setBalance({ address, value: 0n })
    expect((await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])).stderr).toContain('NO_GAS')
    expect(await nonceOf()).toBe(before)
  })

  test('on another chain, vault or wallet than the one signed in to is refused before a signature', async () => {
    await login()
    const vault = await on.chain.anotherVault(parseUsdc('1'))
    const moved = JSON.parse(await readFile(stateFile(), 'utf8'))
    moved.profiles.default.chain.vault = vault
    await cli.write('.config/farebox/state.json', JSON.stringify(moved))
    const refused = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain(`signed in to: chain 31337, vault ${vault}`)
    expect(refused.stderr).toContain(
      `now:          chain 31337, vault ${getAddress(on.chain.contracts.vault)}`,
    )
    expect((await cli.run(['login', '--key-file', keyFile])).stderr).toContain('is on another chain')
    await login('--yes')

    node.misbehave({ alter: method => (method === 'eth_chainId' ? '0x1' : undefined) })
    const elsewhere = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--json'])
    expect(JSON.parse(elsewhere.stderr)).toMatchObject({ error: { code: 'CHAIN_MISMATCH' }, exitCode: 5 })
    node.misbehave()
    const other = await cli.write('other.key', generatePrivateKey())
    expect((await cli.run(['deposit', '1', '--key-file', other, '--yes'])).stderr).toContain(
      'WALLET_MISMATCH',
    )
    expect(await nonceOf()).toBe(0)
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc(FUNDS))
  })

  test('whose transaction is not mined in time is resumed, and made once', async () => {
    await login()
    await approve()
    await on.chain.pauseMining()
    const unmined = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--wait', '1'])
    expect(unmined).toMatchObject({ code: 75, stdout: '' })
    expect(unmined.stderr).toContain('NOT_MINED')
    const hash = namedIn(unmined)
    const another = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])
    expect(another).toMatchObject({ code: 1 })
    expect(namedIn(another)).toBe(hash)
    await on.chain.mine()
    await on.chain.resumeMining()
    for (const _ of ['continued', 'again']) {
      const credited = { status: 'credited', amountUsdc: '1.000000', txHash: hash }
      expect(await cli.json(['deposit', '--tx', hash])).toMatchObject(credited)
    }
    expect(await available()).toBe('1.000000')
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc('9'))
  })

  test('that never reached the node is sent again as the same transaction', async () => {
    await login()
    await approve()
    const lossy = await startFaultyProxy(on.chain.rpcUrl)
    lossy.fail({ text: '"eth_sendRawTransaction"', loses: 'request' })
    const lost = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--rpc', lossy.url])
    await lossy.stop()
    expect(lost).toMatchObject({ code: 75, stdout: '' })
    expect(lost.stderr).toContain('CHAIN_UNREACHABLE')
    expect(lost.stderr).toContain('It is credited once')
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc('10'))
    expect(await cli.json(['deposit', '--tx', namedIn(lost)])).toMatchObject({ amountUsdc: '1.000000' })
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc('9'))
  })

  test('whose transaction the wallet sped up is claimed by the one that was mined', async () => {
    await login()
    await approve()
    await on.chain.pauseMining()
    const seen = Promise.withResolvers<void>()
    node.misbehave({
      alter(method) {
        if (method === 'eth_getTransactionByHash') seen.resolve()
        return undefined
      },
    })
    const { ended } = cli.start(['deposit', '1', '--key-file', keyFile, '--yes', '--json'])
    await seen.promise
    const account = privateKeyToAccount((await readFile(keyFile, 'utf8')).trim() as `0x${string}`)
    const hash = await createWalletClient({ account, transport: http(on.chain.rpcUrl) }).writeContract({
      address: on.chain.contracts.vault,
      abi: fareboxVaultAbi,
      functionName: 'deposit',
      args: [parseUsdc('1')],
      chain: null,
      gas: 300_000n,
      nonce: await nonceOf(),
      maxFeePerGas: parseEther('0.0000001'),
      maxPriorityFeePerGas: parseEther('0.00000005'),
    })
    await on.chain.mine()
    await on.chain.resumeMining()
    const { stdout } = await ended
    expect(JSON.parse(stdout)).toMatchObject({ status: 'credited', amountUsdc: '1.000000', txHash: hash })
    expect((await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])).code).toBe(0)
  })

  test('whose number another transaction of the wallet has used is over, and the next one is made', async () => {
    await login()
    await approve()
    const lossy = await startFaultyProxy(on.chain.rpcUrl)
    lossy.fail({ text: '"eth_sendRawTransaction"', loses: 'request' })
    const lost = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--rpc', lossy.url])
    await lossy.stop()
    await on.chain.send(address, address, '0x')
    const replaced = await cli.run(['deposit', '--tx', namedIn(lost)])
    expect(replaced).toMatchObject({ code: 1, stdout: '' })
    expect(replaced.stderr).toContain('REPLACED')
    expect(replaced.stderr).toContain('Else deposit again.')
    expect((await cli.run(['deposit', '2', '--key-file', keyFile, '--yes'])).stdout).toContain(
      'Credited 2.000000 USDC',
    )
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc('8'))
  })

  test('whose answer was lost is found on the chain, and not made twice', async () => {
    await login()
    const lossy = await startFaultyProxy(on.chain.rpcUrl)
    lossy.fail({ text: '"eth_sendRawTransaction"', loses: 'answer' })
    const done = await cli.run(['deposit', '1', '--key-file', keyFile, '--yes', '--rpc', lossy.url])
    await lossy.stop()
    expect(done.stdout).toContain('Credited 1.000000 USDC')
    expect(done.code).toBe(0)
    expect(await on.chain.usdcOf(address)).toBe(parseUsdc('9'))
    expect(await available()).toBe('1.000000')
  })

  test('that another program has made and claimed is resumed, too', async () => {
    await login()
    const hash = await on.chain.deposit(address, parseUsdc('1'))
    const { session } = JSON.parse(await readFile(stateFile(), 'utf8')).profiles.default
    const claim = { token: session, body: { tx_hash: hash, amount: '1' } }
    expect((await post(on, '/balance/deposit/intent', claim)).status).toBe(200)
    expect(await cli.json(['deposit', '--tx', hash])).toMatchObject({ status: 'credited', txHash: hash })
  })

  test('of another wallet is refused, and stays under way for that one', async () => {
    const shop = ['--profile', 'shop']
    await login(...shop)
    await approve()
    await on.chain.pauseMining()
    const paid = ['deposit', '1', '--key-file', keyFile, '--yes', ...shop]
    const hash = namedIn(await cli.run([...paid, '--wait', '1']))
    await on.chain.mine()
    await on.chain.resumeMining()
    await cli.json(['login', '--key-file', await cli.write('other.key', generatePrivateKey())])
    const refused = await cli.run(['deposit', '--tx', hash])
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain(`was made by ${address}`)
    expect(namedIn(await cli.run(paid))).toBe(hash)
    expect(await cli.json(['deposit', '--tx', hash, ...shop])).toMatchObject({ status: 'credited' })
  })

  test('with an invalid transaction hash is rejected', async () => {
    await login()
    const unknown = await cli.run(['deposit', '--tx', `0x${'1'.repeat(64)}`, '--wait', '1'])
    expect(unknown).toMatchObject({ code: 75, stdout: '' })
    expect(unknown.stderr).toMatch(/^waiting for 0x1+, which is not mined yet\n/)
    const transfer = await on.chain.fund(address, parseUsdc('1'))
    const refused = await cli.run(['deposit', '--tx', transfer])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('DEPOSIT_REJECTED')
  })
})

describe('credentials and usage', () => {
  test('a credential is minted, stored, used, limited, rotated and revoked', async () => {
    await login()
    await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])
    const minted = await cli.run([
      'credentials',
      'mint',
      'first',
      '--credit-limit',
      '0.5',
      '--expires-in',
      '2h',
    ])
    expect(minted.stdout).toMatch(/^agt_[0-9A-Za-z]{49}\n$/)
    expect(minted.stderr).toMatch(/^cred_\w+ "first": 0\.500000 USDC \(reset: never\), expires: 20/)
    const [id = ''] = minted.stderr.split(' ')

    const file = join(cli.home, 'agent.token')
    const kept = await cli.run(['credentials', 'mint', '--token-file', file, '--allow', 'tides', '--save'])
    expect(kept.stdout).toBe('')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const nowhere = await cli.run(['credentials', 'mint', '--token-file', join(file, 'token')])
    expect(nowhere.stdout).toMatch(/^agt_[0-9A-Za-z]{49}\n$/)
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('FILE_NOT_WRITTEN') })
    const call = ['invoke', 'tides', '--json']
    for (const env of [{}, { FAREBOX_CREDENTIAL_FILE: file }, { FAREBOX_CREDENTIAL: minted.stdout }])
      expect((await cli.run(call, { env })).code).toBe(0)
    await chmod(file, 0o644)
    expect((await cli.run(call, { env: { FAREBOX_CREDENTIAL_FILE: file } })).stderr).toContain(
      'FILE_NOT_PRIVATE',
    )

    await cli.json(['credentials', 'update', id, '--credit-limit', '0.01', '--max-calls', '9'])
    const limited = await cli.json(['credentials', 'status', id])
    expect(limited).toMatchObject({
      creditLimit: '0.010000',
      maxCalls: 9,
      callsUsed: 1,
      spentUsdc: '0.010000',
    })
    expect((await cli.run(call, { env: { FAREBOX_CREDENTIAL: minted.stdout } })).code).toBe(4)
    const rotated = await cli.run(['credentials', 'rotate', id])
    expect(rotated.stdout).not.toBe(minted.stdout)
    expect((await cli.run(call, { env: { FAREBOX_CREDENTIAL: minted.stdout } })).code).toBe(3)
    await cli.json(['credentials', 'revoke', id])
    const changed = await cli.run(['credentials', 'update', id, '--max-calls', '9'])
    expect(changed.stderr).toBe(`Changed ${id}. It is revoked: its calls are refused.\n`)
    const unchanged = await cli.run(['credentials', 'update', id])
    expect(unchanged).toMatchObject({ code: 2, stderr: expect.stringContaining('Give a limit to change.') })
    const list = await cli.run(['credentials', 'list'])
    expect(list.stdout).toMatch(new RegExp(`^${id} +first +revoked +0\\.010000 +0\\.010000 +1 of 9$`, 'm'))
    await cli.json(['credentials', 'delete', id])
    expect((await cli.run(['credentials', 'list'])).stdout).not.toContain(id)
    expect((await cli.run(['credentials', 'status', 'cred_00000000000000000000000000'])).code).toBe(1)
    for (const duration of ['soon', '5'])
      expect((await cli.run(['credentials', 'mint', '--expires-in', duration])).code, duration).toBe(2)
  })

  test('calls are listed and summarized, as a table, as JSON and as CSV', async () => {
    await login()
    await cli.run(['deposit', '1', '--key-file', keyFile, '--yes'])
    await cli.run(['credentials', 'mint', '--save'])
    for (let calls = 0; calls < 3; calls += 1) await cli.json(['invoke', 'tides'])
    expect(
      (await cli.run(['usage', '--service', 'tides'])).stdout.match(/ tides +SUCCEEDED +0\.010000$/gm),
    ).toHaveLength(3)
    const unknown = await cli.run(['usage', '--service', 'nosuch'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no service nosuch.') })
    const { logs } = await cli.json<{ logs: { invocationId: string }[] }>(['usage', '--limit', '2'])
    expect(logs).toHaveLength(2)
    expect((await cli.run(['usage', '--csv'])).stdout.split('\n')[0]).toContain('invocationId')
    const summary = await cli.run(['usage', '--summary', '--days', '1'])
    expect(summary.stdout).toContain('Spent  0.030000 USDC')
    expect(summary.stdout).toMatch(/^service +tides +0\.030000 +3$/m)
    expect((await cli.run(['usage', '--from', '2999-01-01'])).stderr).toContain('No matching calls.')
    expect((await cli.run(['usage', '--from', 'tomorrow'])).code).toBe(2)
  })
})

/** Lets the vault take what is deposited, so that a deposit is one transaction. */
async function approve(): Promise<void> {
  const args = [on.chain.contracts.vault, parseUsdc(FUNDS)] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  await on.chain.send(address, on.chain.contracts.usdc, data)
}

/** Returns the transaction with which a failed run says that the deposit is continued. */
const namedIn = ({ stderr }: Run) => /farebox deposit --tx (0x[0-9a-f]{64})/.exec(stderr)?.[1] ?? 'none'
