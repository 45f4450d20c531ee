import { minUsdc, type Usdc, usdc, ZERO } from '@farebox/money'

/** Source of a withdrawal: the earnings of its wallet (default), or the fees of the platform. */
export type WithdrawalSource = 'earnings' | 'fees'

/**
 * A request of a domain to move money. Domains name wallets and amounts; only the ledger knows accounts and entries.
 * `reference` is the id of the record behind the movement; each kind occurs once per reference.
 */
export type Movement =
  /** Deposit on chain: the vault owes the wallet. */
  | { readonly kind: 'deposit'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Funding of promotions by a wallet: vouchers pay out nothing that was not paid in here. */
  | {
      readonly kind: 'promotion-funding'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** Promotional credit, paid from the funding of promotions. */
  | { readonly kind: 'voucher'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Holds money of a consumer for a call to a provider; promotional credit is not spendable at one's own services. */
  | {
      readonly kind: 'hold'
      readonly wallet: string
      readonly provider: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** Releases a hold without a charge. */
  | { readonly kind: 'release'; readonly wallet: string; readonly amount: Usdc; readonly reference: string }
  /** Captures a hold: the provider earns `charge - fee`, the platform `fee`; the rest is released. */
  | {
      readonly kind: 'capture'
      readonly consumer: string
      readonly provider: string
      readonly hold: Usdc
      readonly charge: Usdc
      readonly fee: Usdc
      readonly reference: string
    }
  /** Locks earnings of a provider for a withdrawal. */
  | {
      readonly kind: 'withdrawal-lock'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly reference: string
    }
  /** Unlocks a withdrawal that was not redeemed; `promotional` is the promotional part that its lock took. */
  | {
      readonly kind: 'withdrawal-release'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly promotional: Usdc
      readonly reference: string
    }
  /** Completes a withdrawal that was paid on chain. */
  | {
      readonly kind: 'withdrawal-paid'
      readonly wallet: string
      readonly source?: WithdrawalSource
      readonly amount: Usdc
      readonly reference: string
    }
  /** The vault paid a ticket without a withdrawal: charges the provider. */
  | {
      readonly kind: 'redemption-adopted'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** A reorganisation removed a credited deposit: charges the consumer. */
  | {
      readonly kind: 'deposit-reversed'
      readonly wallet: string
      readonly amount: Usdc
      readonly reference: string
    }
  /** The part of either that is charged to no wallet: the platform bears it. */
  | { readonly kind: 'loss'; readonly amount: Usdc; readonly reference: string }

/** State of an account, in micro-USDC. */
export type AccountState = {
  /** Its balance. */
  readonly posted: Usdc
  /** Part of it that is reserved. */
  readonly reserved: Usdc
  /** Consumers: part of `posted` that came from vouchers. Providers: promotional part of what can be withdrawn. */
  readonly promotional: Usdc
}

/** State of a new account. */
export const EMPTY_ACCOUNT: AccountState = { posted: ZERO, reserved: ZERO, promotional: ZERO }

/** Changes of one account by one movement. */
type Change = { readonly account: string; readonly posted?: bigint; readonly reserved?: bigint }

/** Returns the account of a wallet as consumer. */
export const consumerAccount = (wallet: string): string => `consumer:${wallet}`
/** Returns the wallet of a {@link consumerAccount}; null for other accounts. */
export const consumerOf = (account: string): string | null =>
  account.startsWith('consumer:') ? account.slice('consumer:'.length) : null
/** Returns the account of a wallet as provider. */
export const providerAccount = (wallet: string): string => `provider:${wallet}`
/** Contra account: minus what the vault holds. */
const VAULT = 'vault'
/** Fees earned by the platform. */
export const FEES = 'fees'
/** Funding of promotions that is not paid out yet. */
export const PROMOTIONS = 'promotions'
/** Losses of the platform: minus what the chain took without a charge to a wallet. */
export const LOSSES = 'losses'

/** Returns the account that a withdrawal is paid from. */
const withdrawnFrom = ({ wallet, source }: { wallet: string; source?: WithdrawalSource }): string =>
  source === 'fees' ? FEES : providerAccount(wallet)

/**
 * Returns true if an account must not be overdrawn: those of wallets, promotions and fees. A credit without backing
 * would reach a provider, who withdraws what the vault owes to others.
 */
export const isCoveredAccount = (account: string): boolean =>
  account.includes(':') || account === PROMOTIONS || account === FEES

/** Returns the account changes of a movement. The `posted` parts are its entries and add up to zero. */
export function changesOf(movement: Movement): readonly Change[] {
  switch (movement.kind) {
    case 'deposit':
      return [
        { account: consumerAccount(movement.wallet), posted: movement.amount },
        { account: VAULT, posted: -movement.amount },
      ]
    case 'promotion-funding':
      return [
        { account: PROMOTIONS, posted: movement.amount },
        { account: consumerAccount(movement.wallet), posted: -movement.amount },
      ]
    case 'voucher':
      return [
        { account: consumerAccount(movement.wallet), posted: movement.amount },
        { account: PROMOTIONS, posted: -movement.amount },
      ]
    case 'hold':
      return [{ account: consumerAccount(movement.wallet), reserved: movement.amount }]
    case 'release':
      return [{ account: consumerAccount(movement.wallet), reserved: -movement.amount }]
    case 'capture': {
      const { charge, fee } = movement
      return [
        { account: consumerAccount(movement.consumer), posted: -charge, reserved: -movement.hold },
        { account: providerAccount(movement.provider), posted: charge - fee },
        ...(fee > 0n ? [{ account: FEES, posted: fee as bigint }] : []),
      ]
    }
    case 'withdrawal-lock':
      return [{ account: withdrawnFrom(movement), reserved: movement.amount }]
    case 'withdrawal-release':
      return [{ account: withdrawnFrom(movement), reserved: -movement.amount }]
    case 'withdrawal-paid':
      return [
        { account: withdrawnFrom(movement), posted: -movement.amount, reserved: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'redemption-adopted':
      return [
        { account: providerAccount(movement.wallet), posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'deposit-reversed':
      return [
        { account: consumerAccount(movement.wallet), posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
    case 'loss':
      return [
        { account: LOSSES, posted: -movement.amount },
        { account: VAULT, posted: movement.amount },
      ]
  }
}

/**
 * Applies a movement to its accounts.
 *
 * @returns the new states; or null if the available balance of the wallet or of the promotions is too low, or if only
 * promotional credit would cover a wallet's call to itself
 * @throws RangeError for an invalid movement (negative amount, more released than reserved)
 */
export function applyMovement(
  accounts: ReadonlyMap<string, AccountState>,
  movement: Movement,
): ReadonlyMap<string, AccountState> | null {
  assertSane(movement)
  const after = new Map<string, AccountState>()
  const promoted = promotionsBy(accounts, movement)
  for (const { account, posted = 0n, reserved = 0n } of changesOf(movement)) {
    const before = after.get(account) ?? accounts.get(account)
    if (before === undefined) throw new RangeError(`Account ${account} is not locked.`)
    const state = {
      posted: usdc(before.posted + posted),
      reserved: usdc(before.reserved + reserved),
      promotional: usdc(before.promotional + (promoted.get(account) ?? 0n)),
    }
    if (state.reserved < ZERO)
      throw new RangeError(`${movement.reference} releases more than ${account} has reserved.`)
    if (isCoveredAccount(account) && state.posted < state.reserved) return null
    if (isOwnCall(movement) && state.posted - state.promotional < state.reserved) return null
    after.set(account, state)
  }
  return after
}

/** Any hold may need deposited money, so a wallet's call to itself must be covered beside all other open holds. */
const isOwnCall = (movement: Movement): boolean =>
  movement.kind === 'hold' && movement.wallet === movement.provider

/**
 * Returns the promotional part of a movement, in micro-USDC. A consumer spends vouchers first, except at its own
 * services. A provider withdraws earnings from deposited money first, and is charged for chain payments in the same
 * order.
 *
 * @param accounts states before the movement
 */
export function promotionalOf(accounts: ReadonlyMap<string, AccountState>, movement: Movement): Usdc {
  const stateOf = (account: string) => accounts.get(account) ?? EMPTY_ACCOUNT
  const beyond = (amount: Usdc, deposited: bigint) => usdc(amount - minUsdc(amount, usdc(max(deposited, 0n))))
  switch (movement.kind) {
    case 'voucher':
      return movement.amount
    case 'withdrawal-release':
      return movement.promotional
    case 'promotion-funding':
      return minUsdc(movement.amount, stateOf(consumerAccount(movement.wallet)).promotional)
    case 'capture': {
      const { consumer, provider, charge } = movement
      const { posted, promotional } = stateOf(consumerAccount(consumer))
      return consumer === provider ? beyond(charge, posted - promotional) : minUsdc(charge, promotional)
    }
    case 'deposit-reversed': {
      const { posted, reserved, promotional } = stateOf(consumerAccount(movement.wallet))
      return beyond(movement.amount, posted - reserved - promotional)
    }
    case 'withdrawal-lock':
    case 'redemption-adopted': {
      if ('source' in movement && movement.source === 'fees') return ZERO
      const { posted, reserved, promotional } = stateOf(providerAccount(movement.wallet))
      return beyond(movement.amount, posted - reserved - promotional)
    }
    default:
      return ZERO
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Returns the promotional part of a provider's earnings from a call: the fee comes from deposited money first. */
const promotionalEarnings = (charge: Usdc, fee: Usdc, promotional: Usdc): Usdc =>
  minUsdc(promotional, usdc(charge - fee))

/** Returns the changes of the promotional part of accounts by a movement. */
function promotionsBy(
  accounts: ReadonlyMap<string, AccountState>,
  movement: Movement,
): ReadonlyMap<string, bigint> {
  const part = promotionalOf(accounts, movement)
  if (part === 0n) return new Map()
  switch (movement.kind) {
    case 'capture': {
      const { consumer, provider, charge, fee } = movement
      return new Map([
        [consumerAccount(consumer), -part],
        [providerAccount(provider), promotionalEarnings(charge, fee, part)],
      ])
    }
    case 'voucher':
      return new Map([[consumerAccount(movement.wallet), part]])
    case 'promotion-funding':
    case 'deposit-reversed':
      return new Map([[consumerAccount(movement.wallet), -part]])
    case 'withdrawal-lock':
    case 'redemption-adopted':
      return new Map([[providerAccount(movement.wallet), -part]])
    case 'withdrawal-release':
      return new Map([[providerAccount(movement.wallet), part]])
    default:
      return new Map()
  }
}

function assertSane(movement: Movement): void {
  const amounts =
    movement.kind === 'capture'
      ? [movement.fee, movement.charge - movement.fee, movement.hold - movement.charge]
      : [movement.amount]
  if (amounts.some(amount => amount < 0n))
    throw new RangeError(`${movement.kind} of ${movement.reference} is invalid.`)
}
