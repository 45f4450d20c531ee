import { ExternalLink } from 'lucide-react'
import { CopyButton } from '../copy.tsx'
import { useExplorerUrl } from './explorer.ts'

/** Shortens an address, a hash or an id to its first and last characters. */
export function shorten(text: string, head = 6, tail = 4): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

/** Length of the hash of a transaction, in characters. */
const HASH_LENGTH = 66

/** An address as it is typed. */
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/
export const ADDRESS_FAULT = 'Enter an address: 0x and 40 hexadecimal digits.'

/** A shortened address or hash of a transaction, with a link to the explorer of its chain and, by default, a copy button. */
export function Address({ value, hasCopy = true }: { value: string; hasCopy?: boolean }) {
  const noun = value.length === HASH_LENGTH ? 'transaction' : 'address'
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <span className="font-mono text-[0.92em]" title={value}>
        {shorten(value)}
      </span>
      {hasCopy ? <AddressActions value={value} noun={noun} /> : <ExplorerLink value={value} />}
    </span>
  )
}

/** A whole address, which wraps: what is paid to it cannot be taken back. */
export function WholeAddress({ value }: { value: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="min-w-0 font-mono text-sm break-all text-text">{value}</code>
      <span className="flex shrink-0">
        <AddressActions value={value} noun="address" />
      </span>
    </span>
  )
}

function AddressActions({ value, noun }: { value: string; noun: string }) {
  return (
    <>
      <CopyButton text={value} label={`Copy ${noun}`} className="!size-6 [&>svg]:!size-3.5" />
      <ExplorerLink value={value} />
    </>
  )
}

/** A link to an address or a transaction in the explorer of its chain; nothing on an unknown chain. */
export function ExplorerLink({ value }: { value: string }) {
  const explorer = useExplorerUrl(value)
  if (explorer === null) return null
  return (
    <a
      href={explorer}
      target="_blank"
      rel="noreferrer"
      // A click on the row around it would open that, too.
      onClick={event => event.stopPropagation()}
      aria-label={`Open ${shorten(value)} in the block explorer`}
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
        {shorten(value, 8, 4)}
      </code>
      <CopyButton text={value} label="Copy ID" className="!size-6 [&>svg]:!size-3.5" />
    </span>
  )
}
