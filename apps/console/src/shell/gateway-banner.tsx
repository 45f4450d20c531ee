import { Unplug } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { silentSince, tryNow } from '../ui/state/reachability.ts'

/** A line under the header while the gateway does not answer. */
export function GatewayBanner() {
  const since = silentSince.use()
  return (
    <div role="status">
      {since !== null && (
        <div className="border-t bg-warn-soft text-sm text-warn">
          <div className="mx-auto flex max-w-7xl items-center gap-3 px-4 py-1.5 sm:px-6">
            <Unplug aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 flex-1">
              The gateway does not respond. This page shows data from <Time at={since} />. It continues
              automatically when the gateway is back.
            </span>
            <Button size="sm" onClick={tryNow}>
              Try now
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

const Time = ({ at }: { at: Date }) => <time dateTime={at.toISOString()}>{at.toLocaleTimeString()}</time>
