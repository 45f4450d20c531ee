import { Link } from '@tanstack/react-router'
import { ExternalLink } from 'lucide-react'
import { Card, Facts } from '../../../ui/layout/page.tsx'
import { formatStream } from '../../../ui/services/format-stream.ts'
import { describeBody } from '../../../ui/services/payload-shape.ts'
import { Id } from '../../../ui/values/address.tsx'
import { formatLimit } from '../../../ui/values/format-measures.ts'
import { TimeAgo } from '../../../ui/values/time-ago.tsx'
import type { Service } from './service-labels.ts'

/** Further properties of a service. */
export function ServiceFacts({ service }: { service: Service }) {
  const {
    serviceId,
    agentToolName,
    invoke,
    healthCheck,
    hasUpstreamHeaders,
    signature,
    tags,
    createdAt,
    updatedAt,
  } = service
  const body = service.serviceKind === 'api' ? describeBody(invoke) : null
  return (
    <Card title="About">
      <div className="flex flex-col gap-3">
        <Facts
          items={[
            [
              'Tool name',
              <code key="name" className="font-mono text-[0.92em] break-all">
                {agentToolName}
              </code>,
            ],
            ['ID', <Id key="id" value={serviceId} />],
            ['Called by', invoke.method],
            ...(body === null ? [] : ([['Body', body]] as const)),
            ['Response timeout', formatLimit(invoke.timeoutMs)],
            ['Streams', formatStream(invoke)],
            [
              'Server',
              service.targetVerified
                ? 'Verified: names your wallet'
                : 'Not verified: publish /.well-known/farebox.json',
            ],
            ['Headers', hasUpstreamHeaders ? 'Stored, encrypted' : 'None'],
            [
              'Signature',
              signature === 'ed25519' ? 'Ed25519, by the gateway' : 'HMAC-SHA256, by your secret',
            ],
            [
              'Probe',
              healthCheck === null ? 'GET, below 500' : `${healthCheck.method} ${healthCheck.path ?? ''}`,
            ],
            ...(tags.length > 0 ? ([['Tags', tags.join(', ')]] as const) : []),
            ['Registered', <TimeAgo key="made" iso={createdAt} />],
            ['Changed', <TimeAgo key="changed" iso={updatedAt} />],
          ]}
        />
        {service.runtimeAvailable && (
          <Link
            to="/services/$id"
            params={{ id: serviceId }}
            className="inline-flex items-center gap-1.5 text-sm text-accent hover:underline"
          >
            Open its market page <ExternalLink aria-hidden className="size-3.5" />
          </Link>
        )}
      </div>
    </Card>
  )
}
