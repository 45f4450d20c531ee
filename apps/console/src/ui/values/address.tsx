import { CopyButton } from '../copy.tsx'

/** Shortens an address, a hash or an id to its first and last characters. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** A shortened address or hash with a copy button. */
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

/** An id of the gateway, such as `inv_01J…`, with a copy button. */
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
