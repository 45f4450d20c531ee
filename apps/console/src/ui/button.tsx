import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger'
type Size = 'sm' | 'md'

const variants: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent hover:not-disabled:bg-accent-hover border-transparent',
  secondary: 'bg-raised text-text border-line-strong hover:not-disabled:bg-hover',
  ghost: 'text-muted border-transparent hover:not-disabled:bg-hover hover:not-disabled:text-text',
  danger: 'bg-raised text-danger border-line-strong hover:not-disabled:bg-danger-soft',
}
const sizes: Record<Size, string> = { sm: 'h-7 px-2.5 text-sm gap-1.5', md: 'h-9 px-3.5 text-base gap-2' }

/** Returns the classes of a button, for links that look like one. */
export function buttonClass(
  options: { variant?: Variant; size?: Size; className?: string | undefined } = {},
) {
  const { variant = 'secondary', size = 'md' } = options
  return clsx(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap select-none',
    'transition-colors disabled:opacity-55 aria-disabled:opacity-55',
    variants[variant],
    sizes[size],
    options.className,
  )
}

type ButtonProps = ComponentProps<'button'> & {
  variant?: Variant
  size?: Size
  /** Shows a spinner and ignores clicks. The button keeps its width and the focus, which one that is disabled would lose. */
  isBusy?: boolean
  icon?: ReactNode
}

export function Button({ variant, size, isBusy, icon, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={event => (isBusy ? event.preventDefault() : onClick?.(event))}
      className={buttonClass({ ...(variant && { variant }), ...(size && { size }), className })}
    >
      {isBusy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : icon}
      {children}
    </button>
  )
}

/** A button with only an icon; `label` is its accessible name and tooltip. */
export function IconButton({
  label,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={clsx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors',
        'hover:bg-hover hover:text-text disabled:opacity-55 [&>svg]:size-4',
        className,
      )}
    >
      {children}
    </button>
  )
}
