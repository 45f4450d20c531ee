import type { ComponentProps } from 'react'
import { Button } from '../ui/button.tsx'
import { shorten } from '../ui/values/address.tsx'

/** A button with the address of the signed-in wallet. */
export function AccountButton({ address, ...rest }: { address: string } & ComponentProps<typeof Button>) {
  return (
    <Button size="sm" aria-label={`Account ${address}, ${shorten(address)}`} className="font-mono" {...rest}>
      <span aria-hidden className="size-2 rounded-full bg-accent" />
      {shorten(address)}
    </Button>
  )
}
