import { type Address, type Hex, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { anvilClient } from '../../../src/dev/anvil.ts'
import { startTestChain, type TestChain } from '../../kit/chain/test-chain.ts'
import type { Machine } from './machine.ts'

/** Confirmations of mainnet, the default of production, on a chain with faster blocks (seconds). */
export const CONFIRMATIONS = 12
const BLOCK_SECONDS = 0.25
/** The vault's owner: a wallet that is a contract, for which the node sends. */
const MULTISIG: Address = '0x000000000000000000000000000000000000a515'

/** For the metrics of every gateway. */
export const METRICS_TOKEN = 'of-the-rehearsal'

/** Starts a chain that plays mainnet, deploys the vault by the documented command, and sets what that prints. */
export function startMainnet(machine: Machine): Promise<TestChain> {
  return startTestChain({
    requiredConfirmations: CONFIRMATIONS,
    blockSeconds: BLOCK_SECONDS,
    async deployVault({ rpcUrl, usdc, signer }) {
      const operator = generatePrivateKey()
      await machine.keep('OPERATOR_KEY', operator)
      const { OPERATOR_KEY_FILE = '' } = machine.environment()
      delete machine.settings.OPERATOR_KEY
      const client = anvilClient(rpcUrl)
      await client.setBalance({ address: privateKeyToAccount(operator).address, value: parseEther('1') })
      await client.setCode({ address: MULTISIG, bytecode: '0x00' })
      machine.settings.CHAIN_RPC_URL = rpcUrl
      const order = (more: string) => ({
        values: { USDC_ADDRESS: usdc },
        changes: { '0xMULTISIG': MULTISIG, '--signer 0x...': `--signer ${signer}${more}` },
        env: { OPERATOR_KEY_FILE },
      })
      expect(await machine.operate('farebox vault deploy', order(''))).toContain('Nothing was sent.')
      const printed = await machine.operate('farebox vault deploy', order(' --send'))
      for (const [, name = '', value = ''] of printed.matchAll(/^([A-Z_]+)=(\S+)$/gm))
        machine.settings[name] = value
      return machine.settings.VAULT_ADDRESS as Address
    },
  })
}

/** Appoints a new signer of tickets by the documented command, whose calldata the owner sends. Keeps the new key. */
export async function rotateSigner(machine: Machine, chain: TestChain): Promise<void> {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const changes = { 'rotate-signer 0x...': `rotate-signer ${address}` }
  const printed = await machine.operate('vault rotate-signer', { changes })
  const batch = JSON.parse(printed) as { transactions: { to: Address; data: Hex }[] }
  for (const { to, data } of batch.transactions) await chain.send(MULTISIG, to, data)
  await machine.keep('TICKET_SIGNER_KEY', key)
  expect(await machine.operate('vault status')).toMatch(new RegExp(`^signer +${address}$`, 'im'))
}

/** Settings of the gateways: those of the machine, and what a rehearsal on loopback needs. */
export function environmentOf(machine: Machine, publicUrl: string, admin: Address): Record<string, string> {
  const secrets = { DATABASE_URL: '', JWT_SECRET: '', ENCRYPTION_KEY: '', TICKET_SIGNER_KEY: '' }
  return Object.assign(secrets, machine.environment(), {
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '1',
    ADMIN_WALLETS: admin,
    METRICS_TOKEN,
    REQUIRED_CONFIRMATIONS: '',
    FOLLOWER_INTERVAL_SECONDS: '0.5',
    AUTO_CREDIT_AFTER_SECONDS: '1',
    RECONCILE_INTERVAL_SECONDS: '1',
    CALL_WAIT_SECONDS_MAX: '60',
    LEASE_SECONDS: '5',
    STOP_PAUSE_SECONDS: '4',
  })
}
