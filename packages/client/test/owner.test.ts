import { createOwner, GatewayError, signIn } from '@farebox/client'
import { claimDeposit, type DepositStep, deposit } from '@farebox/client/deposit'
import { parseUsdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { createWalletClient, custom, encodeFunctionData, erc20Abi, getAddress, http, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../apps/gateway/test/kit/gateway/test-gateway.ts'
import { send } from '../../../apps/gateway/test/kit/network/http.ts'
import { newWallet } from '../../../apps/gateway/test/kit/world/wallets.ts'
import { createClient } from '../src/client.ts'

let on: TestGateway
beforeAll(async () => {
  on = await startTestGateway()
})
afterAll(async () => {
  await on.assertBooks()
  await on.stop()
})

/** A signed-in wallet with ether and USDC. */
async function fundedOwner(amountUsdc: string) {
  const account = newWallet()
  await on.chain.client.setBalance({ address: account.address, value: parseEther('1') })
  await on.chain.fund(account.address, parseUsdc(amountUsdc))
  return { account, owner: await createOwner({ baseUrl: on.url, wallet: account }) }
}

describe('a session', () => {
  test('accepts a wallet client of viem in place of an account', async () => {
    const account = newWallet()
    const wallet = createWalletClient({ account, transport: http(on.chain.rpcUrl) })
    const { token } = await signIn(createClient({ baseUrl: on.url }), wallet)
    const { profile } = await createClient({ baseUrl: on.url, token: () => token }).readProfile()
    expect(getAddress(profile.walletAddress)).toBe(account.address)
  })

  test('is renewed by one signature for parallel requests once it has expired', async () => {
    const account = newWallet()
    let token = ''
    let signatures = 0
    /** Ends when the refusal of the profile may arrive. */
    let profileMayArrive: Promise<void> = Promise.resolve()
    const wallet = {
      address: account.address,
      signMessage(input: { message: string }) {
        signatures += 1
        return account.signMessage(input)
      },
    }
    const owner = await createOwner({
      baseUrl: on.url,
      wallet,
      async fetch(url, init) {
        token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length) ?? token
        const response = await fetch(url, init)
        if (String(url).endsWith('/auth/me')) await profileMayArrive
        return response
      },
    })
    await owner.readBalance()
    await send(on.url, '/api/v1/auth/logout', { method: 'POST', token })
    const { promise, resolve } = Promise.withResolvers<void>()
    profileMayArrive = promise
    const late = owner.readProfile()
    await Promise.all([owner.readBalance(), owner.readBalance()])
    resolve()
    expect((await late).profile.walletAddress.toLowerCase()).toBe(account.address.toLowerCase())
    expect(signatures).toBe(2)
  })
})

describe('a deposit', () => {
  test('is approved, paid, confirmed and credited, and reports its steps', async () => {
    const { account, owner } = await fundedOwner('3')
    const steps: DepositStep[] = []
    const credited = await deposit(owner, { account, amountUsdc: '2.5', onStep: step => steps.push(step) })
    expect(credited).toMatchObject({ status: 'credited', amountUsdc: '2.500000' })
    expect((await owner.readBalance()).consumer_available_balance).toBe('2.500000')
    expect(steps.map(({ kind }) => kind).filter(kind => kind !== 'confirming')).toEqual([
      'approved',
      'deposited',
    ])
    expect(steps).toContainEqual({ kind: 'deposited', txHash: credited.txHash })
    const allowance = await on.chain.client.readContract({
      address: on.chain.contracts.usdc,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [account.address, on.chain.contracts.vault],
    })
    expect(allowance).toBe(0n)
  })

  test('that is claimed again by its transaction is credited once', async () => {
    const { account, owner } = await fundedOwner('1')
    const { id, txHash } = await deposit(owner, { account, amountUsdc: '1' })
    const again = await claimDeposit(owner, { txHash: txHash as `0x${string}`, amountUsdc: '1' })
    expect(again).toMatchObject({ id, status: 'credited' })
    expect((await owner.readBalance()).consumer_available_balance).toBe('1.000000')
  })

  test('that another program of the wallet has claimed is awaited', async () => {
    const { account, owner } = await fundedOwner('1')
    const txHash = await on.chain.deposit(account.address, parseUsdc('1'))
    const body = { tx_hash: txHash, amount: '1' }
    const { intent } = await owner.openDeposit({ body, idempotencyKey: 'another' })
    const claimed = await claimDeposit(owner, { txHash, amountUsdc: '1' })
    expect(claimed).toMatchObject({ id: intent.id, status: 'credited' })
  })

  test('whose transaction is not confirmed in time ends with TIMEOUT', async () => {
    const { owner } = await fundedOwner('1')
    const steps: DepositStep[] = []
    const waited = claimDeposit(owner, {
      txHash: `0x${'ab'.repeat(32)}`,
      amountUsdc: '1',
      timeoutMs: 0,
      onStep: step => steps.push(step),
    })
    await expect(waited).rejects.toMatchObject({ code: 'TIMEOUT', detail: { requiredConfirmations: 1 } })
    expect(steps).toEqual([{ kind: 'confirming', confirmations: 0, requiredConfirmations: 1 }])
    const left = claimDeposit(owner, {
      txHash: `0x${'ab'.repeat(32)}`,
      amountUsdc: '1',
      signal: AbortSignal.timeout(300),
    })
    await expect(left).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test.each(['0', '-1', '1.0000001', '1e3', ''])(
    'of "%s" is refused before anything is sent',
    async amountUsdc => {
      const { account, owner } = await fundedOwner('1')
      await expect(deposit(owner, { account, amountUsdc })).rejects.toThrow(RangeError)
      expect(await on.chain.client.getTransactionCount({ address: account.address })).toBe(0)
    },
  )

  /** Starts a deposit whose transaction waits for a block, and replaces it by another of the same number. */
  async function replaced(by: 'the same at a higher fee' | 'nothing') {
    const { account, owner } = await fundedOwner('3')
    const { vault, usdc } = on.chain.contracts
    const allowed = { abi: erc20Abi, functionName: 'approve', args: [vault, parseUsdc('3')] } as const
    await on.chain.send(account.address, usdc, encodeFunctionData(allowed))
    await on.chain.pauseMining()
    const wallet = createWalletClient({ account, transport: http(on.chain.rpcUrl) })
    const seen = Promise.withResolvers<void>()
    const transport = custom({
      async request(asked) {
        const answer = await wallet.request(asked)
        if (asked.method === 'eth_getTransactionByHash') seen.resolve()
        return answer
      },
    })
    const steps: DepositStep[] = []
    const credited = deposit(owner, {
      account,
      amountUsdc: '2',
      transport,
      onStep: step => steps.push(step),
    }).catch((error: unknown) => error)
    await seen.promise
    const nonce = await on.chain.client.getTransactionCount({ address: account.address })
    const fees = { maxFeePerGas: parseEther('0.0000001'), maxPriorityFeePerGas: parseEther('0.00000005') }
    const call = { abi: fareboxVaultAbi, functionName: 'deposit', args: [parseUsdc('2')] } as const
    const sent =
      by === 'nothing'
        ? { to: account.address }
        : { to: vault, data: encodeFunctionData(call), gas: 300_000n }
    const txHash = await wallet.sendTransaction({ ...sent, ...fees, nonce, chain: null })
    await on.chain.mine()
    await on.chain.resumeMining()
    return { owner, txHash, steps, credited: await credited }
  }

  test('whose transaction the wallet sped up is claimed by the one that was mined', async () => {
    const { owner, txHash, steps, credited } = await replaced('the same at a higher fee')
    expect(credited).toMatchObject({ status: 'credited', amountUsdc: '2.000000', txHash })
    expect(steps).toContainEqual({ kind: 'deposited', txHash })
    expect((await owner.readBalance()).consumer_available_balance).toBe('2.000000')
  })

  test('whose transaction the wallet cancelled fails at once, and names the other', async () => {
    const { txHash, credited } = await replaced('nothing')
    expect(credited).toMatchObject({ message: expect.stringContaining(`was cancelled by ${txHash}`) })
  })

  test('of more than the wallet has fails with an error of the chain, and leaves the balance', async () => {
    const { account, owner } = await fundedOwner('1')
    const refused = await deposit(owner, { account, amountUsdc: '2' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Error)
    expect(refused).not.toBeInstanceOf(GatewayError)
    expect((await owner.readBalance()).consumer_available_balance).toBe('0.000000')
  })
})
