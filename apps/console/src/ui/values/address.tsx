import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../copy.tsx'
import { useExplorerUrl } from './explorer.ts'

/** Shortens an address, a hash or an id to its first and last characters. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** Length of the hash of a transaction, in characters. */
const HASH_LENGTH = 66

/** A shortened address or hash of a transaction, with a copy button and a link to the explorer of its chain. */
export function Address({ value, hasCopy = true }: { value: string; hasCopy?: boolean }) {
  const noun = value.length === HASH_LENGTH ? 'transaction' : 'address'
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <span className="font-mono text-[0.92em]" title={value}>
        {shorten(value)}
      </span>
      {hasCopy && <CopyButton text={value} label={`Copy ${noun}`} className="!size-6 [&>svg]:!size-3.5" />}
      {hasCopy && <ExplorerLink value={value} />}
    </span>
  )
}

/** A link to an address or transaction in the explorer of its chain; nothing on an unknown chain. */
export function ExplorerLink({ value }: { value: string }) {
  const explorer = useExplorerUrl(value)
  if (explorer === null) return null
  return (
    <a
      href={explorer}
      target="_blank"
      rel="noreferrer"
      aria-label={`Open ${shorten(value)} in the explorer of the chain`}
      className="inline-flex size-6 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
    >
      <ExternalLink aria-hidden className="size-3.5" />
    </a>
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
