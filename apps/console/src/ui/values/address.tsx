import { CopyButton } from '../copy.tsx'

/** The head and the tail of an address, a hash or an id. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** An address or a hash, shortened, to be copied whole. */
export function Address({ value, hasCopy = true }: { value: string; hasCopy?: boolean }) {
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <span className="font-mono text-[0.92em]" title={value}>
        {shorten(value)}
      </span>
      {hasCopy && <CopyButton text={value} label="Copy address" className="!size-6 [&>svg]:!size-3.5" />}
    </span>
  )
}

/** An identifier of ours, such as `inv_01J…`, to be copied whole. */
export function Id({ value }: { value: string }) {
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <code className="font-mono text-[0.92em]" title={value}>
        {shorten(value, 8, 6)}
      </code>
      <CopyButton text={value} label="Copy id" className="!size-6 [&>svg]:!size-3.5" />
    </span>
  )
}
