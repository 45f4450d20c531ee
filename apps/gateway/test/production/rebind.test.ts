import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { usdc } from '@farebox/money'
import sql from 'sql-template-tag'
import { type Address, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createIds } from '../../src/adapters/ids.ts'
import { rebindVault } from '../../src/domains/admin/rebind-vault.ts'
import { openTestDatabase } from '../kit/database/test-database.ts'
import { startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { until } from '../kit/until.ts'
import { newWallet } from '../kit/world/wallets.ts'

const BIN = join(import.meta.dirname, '../../src/bin')
const ADMIN = newWallet().address
/** Five programs are started one after another. */
const TIMEOUT_MS = 120_000

test('a database moves to another vault only by an audited act', {
  timeout: TIMEOUT_MS,
}, async () => {
  const on = await startGatewayProcess({ env: { STOP_PAUSE_SECONDS: '0', AUTO_CREDIT_AFTER_SECONDS: '0' } })
  const { chain, database } = on
  const { PATH = '' } = process.env
  const env = {
    PATH,
    DATABASE_URL: database.url,
    CHAIN_RPC_URL: chain.rpcUrl,
    VAULT_ADDRESS: chain.contracts.vault,
    TICKET_SIGNER_KEY: chain.ticketSignerKey,
    OPERATOR_KEY: generatePrivateKey(),
  }
  const run = (program: string, ...words: string[]) =>
    spawnSync(process.execPath, [join(BIN, program), ...words], { env, encoding: 'utf8' })
  const rebind = (vault: string, ...more: string[]) => {
    const order = ['--chain-id', '31337', '--vault', vault, '--by', ADMIN, '--reason', 'A new vault.']
    return run('rebind.ts', ...order, ...more)
  }
  const old = chain.contracts.vault.toLowerCase()
  try {
    const operator = privateKeyToAccount(env.OPERATOR_KEY).address
    await chain.client.setBalance({ address: operator, value: parseEther('1') })
    const options = ['--token', chain.contracts.usdc, '--owner', operator, '--allow-key-owner']
    const deployed = run('farebox.ts', 'vault', 'deploy', ...options, '--daily-cap', '10', '--send')
    const [, vault = ''] = /^VAULT_ADDRESS=(.*)$/m.exec(deployed.stdout) ?? []
    await chain.deposit(newWallet().address, usdc(5_000_000n))
    await until('the deposit is credited', async () => {
      const rows = await on.sql('select from vault_deposits where credited_at is not null')
      return rows.length === 1
    })
    expect(rebind(vault)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Nothing was changed: A gateway is running'),
    })
    expect(await on.sql('select vault from vault_binding')).toEqual([{ vault: old }])
    await on.sigterm()
    expect(rebind(vault)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`The books owe 5.000000 USDC, but the vault ${vault} holds 0.000000.`),
    })
    const moved = run('farebox.ts', 'vault', 'move-balance', vault, '--send')
    expect(moved).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`moved        5.000000 USDC from ${old} to ${vault}`),
    })
    expect([await chain.usdcOf(chain.contracts.vault), await chain.usdcOf(vault as Address)]).toEqual([
      0n,
      5_000_000n,
    ])
    expect(rebind(vault)).toMatchObject({ status: 0, stderr: '' })
    expect(
      await on.sql('select actor, action, target, before, after, reason from admin_audit'),
    ).toMatchObject([
      {
        actor: ADMIN.toLowerCase(),
        action: 'vault.rebind',
        target: vault,
        before: { chainId: 31337, vault: old, token: chain.contracts.usdc.toLowerCase() },
        after: { chainId: 31337, vault },
        reason: 'A new vault.',
      },
    ])
    await expect(on.restart()).rejects.toThrow(/VAULT_ADDRESS is .*, but this database belongs to the vault/)
  } finally {
    await on.stop()
  }
})

test('a database does not move while a ticket is open or a deposit is not credited', async () => {
  const db = await openTestDatabase(2)
  try {
    const [wallet, vault, usdcToken] = ['ab', 'cd', 'ef'].map(byte => `0x${byte.repeat(20)}` as const)
    if (wallet === undefined || vault === undefined || usdcToken === undefined) throw new Error('No address.')
    const ids = createIds(() => Date.now())
    const facts = { chainId: 1, rpcUrl: '', usdc: usdcToken, vault, requiredConfirmations: 1 }
    const chain = { facts, vaultBalance: async () => usdc(0n) }
    const rebind = () =>
      rebindVault({ db, ids, chain, left: null }, { actor: wallet, reason: 'A new vault.', movedBy: null })
    await db.query(sql`
      insert into withdrawals (id, wallet, amount, status, nonce, chain_id, vault, deadline, signature, issued_block)
      values ('wd_1', ${wallet}, 1, 'APPROVED_AUTO', '0x01', 31337, ${vault}, 1, '0x', 1)`)
    await expect(rebind()).rejects.toThrow('1 tickets over 0.000001 USDC are open.')
    await db.query(sql`update withdrawals set status = 'CANCELLED'`)
    await db.query(sql`
      insert into deposits (id, wallet, tx_hash, status, registered_at)
      values ('dep_1', ${wallet}, ${`0x${'11'.repeat(32)}`}, 'pending', now())`)
    await expect(rebind()).rejects.toThrow('1 deposits are not credited yet.')
    await db.query(sql`update deposits set status = 'rejected', reason = 'reverted'`)
    await db.query(sql`
      insert into vault_deposits (chain_id, tx_hash, log_index, wallet, amount, block_number, block_hash)
      values (1, ${`0x${'22'.repeat(32)}`}, 0, ${wallet}, 1, 1, '0x')`)
    await expect(rebind()).rejects.toThrow('1 deposits are not credited yet.')
    expect(await db.query(sql`select from vault_binding`)).toEqual([])
    await db.query(sql`update vault_deposits set credited_at = now()`)
    expect(await rebind()).toBeNull()
  } finally {
    await db.close()
  }
})
