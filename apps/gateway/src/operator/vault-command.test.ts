import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usdc } from '@farebox/money'
import { fareboxVaultBytecode } from '@farebox/vault'
import { vaultStandardJson } from '@farebox/vault/standard-json'
import { type Address, type Hex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../test/kit/chain/test-chain.ts'
import { readVaultState } from '../adapters/chain/vault-state.ts'
import { vaultCommand } from './vault-command.ts'

let chain: TestChain
let folder: string
/** A key with ether, and a multisignature wallet that the node sends for. */
const deployer = generatePrivateKey()
const multisig: Address = '0x000000000000000000000000000000000000a515'
const signer: Address = '0x0000000000000000000000000000000000005191'
const other: Address = '0x0000000000000000000000000000000000005192'

beforeAll(async () => {
  chain = await startTestChain()
  folder = await mkdtemp(join(tmpdir(), 'farebox-vault-'))
  await chain.client.setBalance({ address: addressOf(deployer), value: parseEther('1') })
  await chain.client.setCode({ address: multisig, bytecode: '0x00' })
})
afterAll(async () => {
  await Promise.all([chain.stop(), rm(folder, { recursive: true })])
})

const addressOf = (key: Hex) => privateKeyToAccount(key).address

/** Runs `farebox vault`; returns what it prints. */
async function run(words: string[], env: Record<string, string> = {}): Promise<string> {
  let output = ''
  const print = (text: string) => {
    output += `${text}\n`
  }
  const settings = {
    CHAIN_RPC_URL: chain.rpcUrl,
    CHAIN_ID: '31337',
    USDC_ADDRESS: chain.contracts.usdc,
    OPERATOR_KEY: deployer,
    ...env,
  }
  await vaultCommand(print, settings).parseAsync(words, { from: 'user' })
  return output
}
const order = (owner: Address = multisig) => [
  'deploy',
  '--owner',
  owner,
  '--signer',
  signer,
  '--daily-cap',
  '2500',
]
const settingsOf = (output: string) =>
  Object.fromEntries([...output.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
const stateOf = (vault: string) => readVaultState(chain.client as never, vault as Address)
const nonceOf = (key: Hex) => chain.client.getTransactionCount({ address: addressOf(key) })

describe('farebox vault deploy', () => {
  test('sends nothing by default: checks the arguments, and prints gas, compiler and constructor arguments', async () => {
    const head = await chain.client.getBlockNumber()
    const output = await run(order())
    expect(output).toMatch(/^token +0x\w{40}, \w+, 6 decimals, EIP-2612, EIP-3009$/m)
    expect(output).toMatch(/^owner +0x0{35}0a515, a contract$|^owner +0x0+a515, a contract$/m)
    expect(output).toMatch(/^daily cap +2500 USDC$/m)
    expect(output).toMatch(/^gas +\d{6,8}, now 0\.\d+ of the chain's coin$/m)
    expect(output).toMatch(
      /^compiler +v0\.8\.\d+\+commit\.\w{8}, contract contracts\/FareboxVault\.sol:FareboxVault$/m,
    )
    expect(output).toMatch(/^Nothing was sent\./m)
    expect(await chain.client.getBlockNumber()).toBe(head)
    expect(await run(order(), { OPERATOR_KEY: '' })).toMatch(/^gas +\d{6,8}/m)
  })

  test('deploys with --send, and prints the settings of gateways', async () => {
    const output = await run([...order(), '--send'])
    const settings = settingsOf(output)
    expect(settings).toMatchObject({ CHAIN_ID: '31337', USDC_ADDRESS: chain.contracts.usdc.toLowerCase() })
    const { VAULT_ADDRESS = '', FOLLOWER_START_BLOCK = '' } = settings
    expect(await stateOf(VAULT_ADDRESS)).toMatchObject({
      owner: multisig,
      isOwnerContract: true,
      signer,
      dailyCap: 2_500_000_000n,
      isPaused: false,
      deposits: 0n,
    })
    const [, hash = ''] = /^transaction +(0x\w{64})$/m.exec(output) ?? []
    const receipt = await chain.client.getTransactionReceipt({ hash: hash as Hex })
    expect(String(receipt.blockNumber)).toBe(FOLLOWER_START_BLOCK)
    const { input } = await chain.client.getTransaction({ hash: hash as Hex })
    const [, printed = ''] = /^arguments +0x(\w+)$/m.exec(output) ?? []
    expect(input === `${fareboxVaultBytecode}${printed}`).toBe(true)
  })

  test('writes the standard-JSON input for explorers', async () => {
    const file = join(folder, 'vault.json')
    await run([...order(), '--standard-json', file])
    const written = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof vaultStandardJson>
    expect(written).toEqual(vaultStandardJson())
    expect(Object.keys(written.sources)).toContain('@openzeppelin/contracts/access/Ownable2Step.sol')
  })

  const refused: [string, () => string[], string, Record<string, string>?][] = [
    [
      'an owner that is a single key',
      () => order(other),
      'use a multisignature wallet, or add --allow-key-owner.',
    ],
    [
      'an owner that is the signer',
      () => [...order(signer), '--allow-key-owner'],
      '--owner and --signer are the same',
    ],
    [
      'a token that is no contract',
      () => [...order(), '--token', other],
      'is not a contract on chain 31337.',
    ],
    ['a token without decimals', () => [...order(), '--token', multisig], 'has no decimals; it must have 6.'],
    ['another chain', order, 'but CHAIN_ID is 8453.', { CHAIN_ID: '8453' }],
    ['a key without money', order, 'has 0; the deployment costs', { OPERATOR_KEY: generatePrivateKey() }],
  ]
  test.each(refused)('rejects %s before anything is sent', async (_, words, why, env) => {
    const before = await nonceOf(deployer)
    await expect(run([...words(), '--send'], env)).rejects.toThrow(why)
    expect(await nonceOf(deployer)).toBe(before)
  })

  test('accepts an owner that is a key when allowed', async () => {
    expect(await run([...order(other), '--allow-key-owner'])).toMatch(/^owner +0x\w{40}, a single key$/m)
  })
})

describe("a command of the vault's owner", () => {
  let vault: string
  let keyVault: string
  beforeAll(async () => {
    vault = settingsOf(await run([...order(), '--send'])).VAULT_ADDRESS ?? ''
    const own = [...order(addressOf(deployer)), '--allow-key-owner', '--send']
    keyVault = settingsOf(await run(own)).VAULT_ADDRESS ?? ''
  })
  const act = (words: string[], at = vault, env = {}) => run(words, { VAULT_ADDRESS: at, ...env })

  test('is printed as calldata for the wallet of the owner', async () => {
    for (const [words, expected] of [
      [['pause'], { isPaused: true }],
      [['unpause'], { isPaused: false }],
      [['rotate-signer', other], { signer: other }],
      [['set-daily-cap', '10.5'], { dailyCap: 10_500_000n }],
    ] as const) {
      const batch = JSON.parse(await act([...words, '--calldata'])) as {
        chainId: string
        transactions: { to: Address; value: string; data: Hex }[]
      }
      expect(batch).toMatchObject({
        version: '1.0',
        chainId: '31337',
        transactions: [{ to: vault, value: '0' }],
      })
      const [{ to, data } = { to: other, data: '0x' as Hex }] = batch.transactions
      await chain.send(multisig, to, data)
      expect(await stateOf(vault)).toMatchObject(expected)
    }
  })

  test("is simulated only without --send, and sent with it by the owner's key", async () => {
    expect(await act(['pause'], keyVault)).toMatch(/Nothing was sent/)
    expect((await stateOf(keyVault)).isPaused).toBe(false)
    expect(await act(['pause', '--send'], keyVault)).toMatch(/^done +pause at 0x/m)
    expect((await stateOf(keyVault)).isPaused).toBe(true)
    await expect(act(['pause'], keyVault)).rejects.toThrow('The vault is paused already.')
    await act(['unpause', '--send'], keyVault)
    await act(['rotate-signer', other, '--send'], keyVault)
    expect(await stateOf(keyVault)).toMatchObject({ isPaused: false, signer: other })
  })

  test("is rejected when the vault would revert it or the key is not the owner's", async () => {
    const before = await nonceOf(deployer)
    for (const words of [
      ['unpause', '--send'],
      ['unpause', '--calldata'],
    ])
      await expect(act(words, keyVault)).rejects.toThrow('The vault is not paused.')
    await expect(act(['pause', '--send'], vault)).rejects.toThrow(
      `but the owner is ${multisig}: use --calldata.`,
    )
    const owner = addressOf(deployer)
    await expect(act(['rotate-signer', owner, '--send'], keyVault)).rejects.toThrow('must not be the signer')
    await expect(act(['rotate-signer', other, '--send'], keyVault)).rejects.toThrow('is the signer already.')
    await expect(act(['pause'], other)).rejects.toThrow(
      `VAULT_ADDRESS ${other} is not a contract on chain 31337.`,
    )
    expect(await nonceOf(deployer)).toBe(before)
    const keyless = act(['pause', '--send'], keyVault, { OPERATOR_KEY: '' })
    await expect(keyless).rejects.toThrow('OPERATOR_KEY is not set (or OPERATOR_KEY_FILE).')
  })

  test('is visible in farebox vault status, also as JSON', async () => {
    const text = await act(['status'])
    expect(text).toMatch(new RegExp(`^owner +${multisig}$`, 'm'))
    expect(text).toMatch(/^dailyCap +10\.5 \w+$/m)
    expect(
      JSON.parse(await act(['status', '--json'], keyVault, { TICKET_SIGNER_KEY: deployer })),
    ).toMatchObject({
      chain: 31337,
      vault: keyVault,
      owner: `${addressOf(deployer).toLowerCase()} (a single key)`,
      ourSigner: addressOf(deployer).toLowerCase(),
      signer: other,
      paused: false,
      pendingOwner: 'none',
    })
    const external = { TICKET_SIGNER_ADDRESS: other }
    expect(await act(['status'], keyVault, external)).toMatch(new RegExp(`^ourSigner +${other}$`, 'm'))
    const { usdc } = chain.contracts
    await expect(act(['status'], usdc)).rejects.toThrow(
      /^VAULT_ADDRESS 0x\w+ is a contract but not a FareboxVault\./,
    )
  })
})

describe('farebox vault move-balance', () => {
  const key = generatePrivateKey()
  const env = { TICKET_SIGNER_KEY: key }
  const deploy = async (words: string[] = []) => {
    const own = ['deploy', '--owner', multisig, '--signer', addressOf(key), '--daily-cap', '3', '--send']
    return (settingsOf(await run([...own, ...words])).VAULT_ADDRESS ?? '') as Address
  }
  const move = (vault: Address, to: string, words: string[] = [], more = {}) =>
    run(['move-balance', to, '--vault', vault, ...words], { ...env, ...more })
  const act = async (vault: Address, words: string[]) => {
    const batch = JSON.parse(await run([...words, '--vault', vault, '--calldata']))
    const [{ to, data }] = batch.transactions
    await chain.send(multisig, to, data)
  }

  test('pays the whole balance to another vault, or to the owner', async () => {
    const [from, to] = [await deploy(), await deploy()]
    await chain.fund(from, usdc(3_000_000n))
    expect(await move(from, to)).toContain(`would pay 3.000000 USDC from ${from} to ${to}. Nothing was sent`)
    expect(await chain.usdcOf(from)).toBe(3_000_000n)
    const sent = await move(from, to, ['--send'])
    expect(sent).toMatch(/^moved +3\.000000 USDC from 0x/m)
    const [, hash = ''] = /^--moved-by +(0x\w{64}):\d+$/m.exec(sent) ?? []
    expect((await chain.client.getTransactionReceipt({ hash: hash as Hex })).status).toBe('success')
    expect([await chain.usdcOf(from), await chain.usdcOf(to)]).toEqual([0n, 3_000_000n])
    const batch = JSON.parse(await move(to, multisig, ['--calldata']))
    await chain.send(other, to, batch.transactions[0].data)
    expect([await chain.usdcOf(to), await chain.usdcOf(multisig)]).toEqual([0n, 3_000_000n])
  })

  test('refuses what the vault would not pay, and a recipient where the money would be lost', async () => {
    const [from, to] = [await deploy(), await deploy()]
    await expect(move(from, to)).rejects.toThrow('The vault holds nothing.')
    await chain.fund(from, usdc(4_000_000n))
    await expect(move(from, to)).rejects.toThrow(
      'The vault holds 4.000000 USDC, but its daily cap leaves 3.000000: the owner must raise it (set-daily-cap 4.000000).',
    )
    await act(from, ['set-daily-cap', '4'])
    await act(from, ['pause'])
    await expect(move(from, to)).rejects.toThrow('The vault is paused, and pays no ticket')
    await act(from, ['unpause'])
    await expect(move(from, from)).rejects.toThrow('is the vault itself.')
    await expect(move(from, other)).rejects.toThrow(`nor the owner of the vault, ${multisig}.`)
    await expect(move(from, chain.contracts.usdc)).rejects.toThrow('not a FareboxVault.')
    const stranger = await chain.anotherVault(usdc(1n))
    await expect(move(from, stranger)).rejects.toThrow(`but ${from} holds`)
    await expect(move(from, to, [], { TICKET_SIGNER_KEY: deployer })).rejects.toThrow("The vault's signer is")
    await expect(move(from, to, [], { TICKET_SIGNER_KEY: '' })).rejects.toThrow(
      'TICKET_SIGNER_KEY is not set',
    )
    expect(await chain.usdcOf(from)).toBe(4_000_000n)
  })
})
