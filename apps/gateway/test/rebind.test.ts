import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { usdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { deployContracts, firstAccount } from '../src/dev/deploy.ts'
import { startGatewayProcess } from './process.ts'
import { newWallet } from './wallets.ts'
import { until } from './world.ts'

const PROGRAM = join(import.meta.dirname, '../src/rebind.ts')
const ADMIN = newWallet().address

test('a database moves to another vault by an act alone: in the audit log, and with nothing under way', async () => {
  const on = await startGatewayProcess({ env: { STOP_PAUSE_SECONDS: '0', AUTO_CREDIT_AFTER_SECONDS: '0' } })
  const rebind = (vault: string, chainId = '31337') => {
    const { PATH = '' } = process.env
    const env = { PATH, DATABASE_URL: on.database.url, CHAIN_RPC_URL: on.chain.rpcUrl }
    const order = ['--chain-id', chainId, '--vault', vault, '--by', ADMIN, '--reason', 'A new vault.']
    return spawnSync(process.execPath, [PROGRAM, ...order], { env, encoding: 'utf8' })
  }
  const refused = (why: string) => ({
    status: 1,
    stderr: expect.stringContaining(`Nothing was changed: ${why}`),
  })
  try {
    const owner = await firstAccount(on.chain.client)
    const { vault } = await deployContracts(on.chain.client, { owner, signer: owner })
    await on.chain.deposit(newWallet().address, usdc(5_000_000n))
    await until('the deposit is credited', async () => {
      const rows = await on.sql('select from vault_deposits where credited_at is not null')
      return rows.length === 1
    })

    expect(rebind(vault)).toMatchObject(refused('A gateway is running'))
    await on.sigterm()
    expect(rebind(vault, '1')).toMatchObject(
      refused('CHAIN_RPC_URL leads to chain 31337, and --chain-id is 1.'),
    )
    expect(rebind(on.chain.contracts.usdc)).toMatchObject(refused('VAULT_ADDRESS'))
    await on.sql(`insert into withdrawals (id, wallet, amount, status, nonce, chain_id, vault, deadline, signature, issued_block)
      values ('wd_1', '0x${'ab'.repeat(20)}', 1, 'APPROVED_AUTO', '0x01', 31337, '${on.chain.contracts.vault.toLowerCase()}', 1, '0x', 1)`)
    expect(rebind(vault)).toMatchObject(refused('1 tickets over 0.000001 USDC are out.'))
    await on.sql(`update withdrawals set status = 'CANCELLED'`)
    await on.sql(`update vault_deposits set credited_at = null`)
    expect(rebind(vault)).toMatchObject(refused('1 deposits are not credited yet.'))
    await on.sql(`update vault_deposits set credited_at = now()`)
    const unmoved = await on.sql<{ vault: string }>('select vault from vault_binding')
    expect(unmoved).toEqual([{ vault: on.chain.contracts.vault.toLowerCase() }])

    expect(rebind(vault)).toMatchObject({ status: 0, stderr: '' })
    const [act] = await on.sql('select actor, action, target, before, after, reason from admin_audit')
    const home = (its: string, token: string) => ({ chainId: 31337, vault: its.toLowerCase(), token })
    expect(act).toMatchObject({
      actor: ADMIN.toLowerCase(),
      action: 'vault.rebind',
      target: vault,
      before: home(on.chain.contracts.vault, on.chain.contracts.usdc.toLowerCase()),
      after: home(vault, expect.stringMatching(/^0x/) as never),
      reason: 'A new vault.',
    })
    await expect(on.restart()).rejects.toThrow(/VAULT_ADDRESS is .*, but this database belongs to the vault/)
  } finally {
    await on.stop()
  }
})
