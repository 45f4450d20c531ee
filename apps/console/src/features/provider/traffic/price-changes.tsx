import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/layout/page.tsx'
import { ScheduledPrice } from '../../../ui/services/service-price.tsx'
import type { Service } from '../service/service-labels.ts'

/** Price increases whose notice runs, in the words that callers read; nothing without one. */
export function PriceChanges({ services }: { services: readonly Service[] }) {
  const announced = services.filter(({ scheduledPricing }) => scheduledPricing !== undefined)
  if (announced.length === 0) return null
  return (
    <Card title="Announced prices, as callers see them">
      <ul className="flex flex-col gap-4">
        {announced.map(service => (
          <li key={service.serviceId}>
            <Link
              to="/provider/$id"
              params={{ id: service.serviceId }}
              className="font-medium break-words hover:underline"
            >
              {service.serviceName}
            </Link>
            <ScheduledPrice {...service} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
