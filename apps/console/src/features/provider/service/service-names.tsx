import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { Service } from './service-labels.ts'

/** Adds to rows the names of their services, which may have been deleted. */
export function withNames<Row extends { readonly serviceId: string }>(
  rows: readonly Row[] | undefined,
  services: readonly Service[],
): readonly (Row & { readonly name: string })[] | undefined {
  const names = new Map(services.map(({ serviceId, serviceName }) => [serviceId, serviceName]))
  return rows?.map(row => ({ ...row, name: names.get(row.serviceId) ?? 'Deleted service' }))
}

/** The name of an own service, which opens its page. */
export function ServiceLink(props: { row: { serviceId: string; name: string }; className?: string }) {
  const { row, className = 'font-medium' } = props
  return (
    <Link to="/provider/$id" params={{ id: row.serviceId }} className={clsx(className, 'hover:underline')}>
      {row.name}
    </Link>
  )
}
