import { usdc } from '@farebox/money'
import { size } from 'viem'
import { startTestChain } from './chain.ts'

const t0 = Date.now()
const c = await startTestChain()
console.log('ready', Date.now() - t0)
const A = '0x1234567890123456789012345678901234567890' as const
let h = await c.deposit(A, usdc(5_000_000n))
console.log(h, await c.adapter.receipt(h), await c.adapter.head())
h = await c.depositAtOnce(A, [usdc(5n), usdc(6n)])
console.log(await c.adapter.receipt(h))
h = await c.depositThatReverts(A, usdc(5n))
console.log(await c.adapter.receipt(h))
h = await c.depositElsewhere(A, usdc(7n))
console.log(await c.adapter.receipt(h))
console.log(
  (await c.adapter.vaultEvents({ from: 0n, to: (await c.adapter.head()).number })).length,
  await c.adapter.vaultBalance(),
  await c.adapter.withdrawableNow(),
)
await c.pauseMining()
h = await c.deposit(A, usdc(8n))
console.log(await c.adapter.receipt(h))
await c.mine()
console.log((await c.adapter.receipt(h))?.events)
await c.resumeMining()
const head = await c.adapter.head()
await c.reorg(1)
console.log(head, await c.adapter.head(), await c.adapter.receipt(h))
const ticket = {
  to: A,
  amount: usdc(100n),
  deadline: (await c.now()) + 100n,
  nonce: ('0x' + '11'.repeat(32)) as `0x${string}`,
}
const n1 = await c.adapter.head()
h = await c.redeem(ticket, await c.adapter.signTicket(ticket))
console.log(
  await c.adapter.receipt(h),
  await c.adapter.isNonceUsed(ticket.nonce, n1.number),
  await c.adapter.isNonceUsed(ticket.nonce, n1.number + 1n),
  await c.usdcOf(A),
)
const t1 = Date.now()
await c.stop()
console.log('stop', Date.now() - t1)
try {
  await c.adapter.head()
} catch (e) {
  console.log(e, Date.now() - t1)
}
console.log('total', Date.now() - t0)
