import { clsx } from 'clsx'
import { shorten } from '../../ui/values/address.tsx'
import { formatAmount } from '../../ui/values/amount.tsx'
import { formatMicros, type Level, type Node } from './merkle.ts'

/** The path from a leaf to the root, with its siblings. */
export function Branch({ leaf, levels }: { leaf: Node; levels: readonly Level[] }) {
  const root = levels.at(-1)?.above ?? leaf
  const below = levels.toReversed()
  return (
    <ol aria-label="Path to the root" className="flex flex-col items-stretch text-sm">
      <li className="flex justify-center">
        <Box node={root} name={levels.length === 0 ? 'Root, and you' : 'Root'} isMine />
      </li>
      {below.map((level, index) => (
        <li key={level.mine.hash} className="flex flex-col">
          <Fork />
          <div
            className={clsx('grid grid-cols-2 gap-3', level.side === 'left' && '[&>:first-child]:order-2')}
          >
            <Box node={level.mine} name={index === below.length - 1 ? 'You' : 'Above you'} isMine />
            <Box node={level.other} name="Others" />
          </div>
        </li>
      ))}
    </ol>
  )
}

/** The lines from a node to its two children. */
function Fork() {
  return (
    <span aria-hidden className="mx-auto block h-4 w-1/2">
      <span className="mx-auto block h-2 w-px bg-line-strong" />
      <span className="block h-2 rounded-t border border-b-0 border-line-strong" />
    </span>
  )
}

function Box({ node, name, isMine = false }: { node: Node; name: string; isMine?: boolean }) {
  return (
    <div
      className={clsx(
        'flex min-w-0 flex-col rounded-md border px-2.5 py-1.5',
        isMine ? 'border-accent bg-accent-soft' : 'bg-subtle',
      )}
    >
      <span className="flex items-baseline justify-between gap-x-3 max-sm:flex-col">
        <span className={clsx('text-xs font-medium', isMine ? 'text-accent' : 'text-muted')}>{name}</span>
        <span className="max-w-full truncate tabular" title={`${formatMicros(node.sum)} USDC`}>
          {formatAmount(formatMicros(node.sum))} <span className="text-xs text-faint">USDC</span>
        </span>
      </span>
      <code className="truncate font-mono text-xs text-faint" title={node.hash}>
        {shorten(node.hash, 8, 6)}
      </code>
    </div>
  )
}
