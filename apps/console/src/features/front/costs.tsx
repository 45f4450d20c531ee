import { useConsoleConfig } from '../../console-config.ts'

/** Basis points of a percent. */
const BPS_PER_PERCENT = 100

/** Lists the platform's fees, and what is free. */
export function Costs() {
  const fee = useConsoleConfig()?.platformFeeBps
  const items = [
    ['A call', 'its listed price', 'Models are charged by tokens used, never more than the hold.'],
    ['A failed call', '0.00 USDC', 'The hold is released immediately.'],
    ['A repeated call', '0.00 USDC', 'The same key returns the stored answer.'],
    [
      'The gateway',
      fee === undefined ? '…' : fee === 0 ? 'no fee' : `${fee / BPS_PER_PERCENT}% of earnings`,
      'No subscription and no minimum. Providers pay the fee, if any.',
    ],
  ] as const
  return (
    <section aria-labelledby="costs">
      <h2 id="costs" className="text-lg font-semibold">
        What it costs
      </h2>
      <dl className="mt-4 grid gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-2 lg:grid-cols-4">
        {items.map(([what, price, why]) => (
          <div key={what} className="bg-raised p-4">
            <dt className="text-sm text-muted">{what}</dt>
            <dd className="mt-1 font-semibold tabular">{price}</dd>
            <dd className="mt-1 text-sm text-muted">{why}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
