import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../test/kit/chain/rpc-proxy.ts'
import { startTestChain } from '../../../test/kit/chain/test-chain.ts'
import { sendToVault } from '../../../test/kit/chain/vault-owner.ts'
import { startTestGateway, type TestGateway } from '../../../test/kit/gateway/test-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'

let on: TestGateway
let node: RpcProxy
beforeAll(async () => {
  const chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  // No check by the job: the age of the last one is that of the tests.
  on = await startTestGateway({
    chain,
    env: { CHAIN_RPC_URL: node.url, RECONCILE_INTERVAL_SECONDS: '86400' },
  })
})
afterAll(async () => {
  await on.stop()
  await node.stop()
})

const status = async () => (await send(on.url, '/api/v1/status')).body
/** Returns the status after the last check was so many days ago, also one that a job has made meanwhile. */
async function statusAt(days: number) {
  await on.sql('update reconciliations set at = now() - make_interval(days => $1)', [days])
  return status()
}
const GOOD = { isChainReachable: true, isVaultPaused: false, ticketBlock: null }

test('GET /status reports normal operation without a token, with the time of the last check', async () => {
  await expect.poll(status).toMatchObject({ ...GOOD, lastReconciledAt: expect.any(String) })
})

test('GET /status reports a paused vault until it is unpaused', async () => {
  await sendToVault(on.chain, 'pause')
  await expect.poll(status).toMatchObject({ ...GOOD, isVaultPaused: true })
  await sendToVault(on.chain, 'unpause')
  await expect.poll(status).toMatchObject(GOOD)
})

test('GET /status reports a late check of the books, or its findings', async () => {
  await expect.poll(() => statusAt(4)).toMatchObject({ ...GOOD, ticketBlock: 'books_unchecked' })
  await expect.poll(() => statusAt(0)).toMatchObject(GOOD)
  await on.sql(`insert into reconciliations (consistent, findings) values (false, '[]')`)
  await expect.poll(status).toMatchObject({ ...GOOD, ticketBlock: 'books_inconsistent' })
  await on.assertBooks()
})

test('GET /status reports an unreachable chain without calling the vault paused', async () => {
  node.misbehave({ refuses: true })
  await expect.poll(status).toMatchObject({ isChainReachable: false, isVaultPaused: null })
  node.misbehave()
  await expect.poll(status).toMatchObject({ isChainReachable: true, isVaultPaused: false })
})
