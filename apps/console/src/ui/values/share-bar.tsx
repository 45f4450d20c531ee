import { clsx } from 'clsx'

/** A thin bar of a share, from 0 to 1, beside the figure that it pictures. */
export function ShareBar({ share, className }: { share: number; className?: string }) {
  return (
    <span aria-hidden className={clsx('block overflow-hidden rounded-full bg-hover', className ?? 'h-1.5')}>
      <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
    </span>
  )
}
