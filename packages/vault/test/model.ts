/** A model of the vault in a few lines of TypeScript, which share nothing with the contract. */

/** One step of a story: the clock moves by `wait` seconds, then somebody does something. */
export type Step = { wait: number } & (
  | { do: 'deposit'; user: number; amount: bigint }
  | { do: 'withdraw'; user: number; amount: bigint; nonce: number; key: number; lifetime: number }
  | { do: 'setCap'; cap: bigint }
  | { do: 'setSigner'; key: number }
  | { do: 'pause' }
  | { do: 'unpause' }
)

const HOUR = 3_600
const DAY = 24 * HOUR

/** The vault and its users, as numbers. */
export class VaultModel {
  readonly balances: bigint[]
  readonly usedNonces = new Set<number>()
  held = 0n
  cap: bigint
  signer = 0
  paused = false
  time: number
  readonly #paid: { at: number; amount: bigint }[] = []

  constructor(start: { users: number; balance: bigint; cap: bigint; time: number }) {
    this.balances = Array.from({ length: start.users }, () => start.balance)
    this.cap = start.cap
    this.time = start.time
  }

  /** Amount that the cap counts: payments in this clock hour and the 24 before it. */
  get counted(): bigint {
    const hour = Math.floor(this.time / HOUR)
    return this.#sum(payment => Math.floor(payment.at / HOUR) >= hour - 24)
  }

  /** Payments of exactly the last 24 hours, which the cap has to bound. */
  get paidInADay(): bigint {
    return this.#sum(payment => payment.at > this.time - DAY)
  }

  /** The largest ticket that can be paid. */
  get available(): bigint {
    const left = this.cap - this.counted
    if (this.paused || left < 0n) return 0n
    if (this.held < left) return this.held
    return left
  }

  /** Takes a step, and tells how it ends: `ok`, or the name of the error, in which case nothing has happened. */
  take(step: Step): string {
    this.time += step.wait
    const refusal = this.#refusal(step)
    if (refusal === undefined) this.#apply(step)
    return refusal ?? 'ok'
  }

  #refusal(step: Step): string | undefined {
    if (step.do === 'unpause') return this.paused ? undefined : 'ExpectedPause'
    if (step.do === 'setCap' || step.do === 'setSigner') return undefined
    if (this.paused) return 'EnforcedPause'
    if (step.do === 'pause') return undefined
    if (step.amount === 0n) return 'ZeroAmount'
    if (step.do === 'deposit') {
      return step.amount > this.#balance(step.user) ? 'ERC20InsufficientBalance' : undefined
    }
    if (step.lifetime < 0) return 'TicketExpired'
    if (this.usedNonces.has(step.nonce)) return 'NonceUsed'
    if (step.key !== this.signer) return 'InvalidSignature'
    if (this.counted + step.amount > this.cap) return 'DailyCapExceeded'
    return step.amount > this.held ? 'ERC20InsufficientBalance' : undefined
  }

  #apply(step: Step): void {
    if (step.do === 'deposit') this.#move(step.user, -step.amount)
    else if (step.do === 'withdraw') {
      this.#move(step.user, step.amount)
      this.usedNonces.add(step.nonce)
      this.#paid.push({ at: this.time, amount: step.amount })
    } else if (step.do === 'setCap') this.cap = step.cap
    else if (step.do === 'setSigner') this.signer = step.key
    else this.paused = step.do === 'pause'
  }

  #balance(user: number): bigint {
    return this.balances[user] ?? 0n
  }

  #move(user: number, amount: bigint): void {
    this.balances[user] = this.#balance(user) + amount
    this.held -= amount
  }

  #sum(which: (payment: { at: number }) => boolean): bigint {
    return this.#paid.filter(which).reduce((sum, payment) => sum + payment.amount, 0n)
  }
}
