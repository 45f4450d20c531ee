import { Badge } from '../badge.tsx'
import { isEmbeddings, type OfKind } from './embeddings.ts'

/** Marks a model, by its kind; nothing for other services. */
export function ModelBadge(service: OfKind) {
  if (service.modelKind === undefined) return null
  return <Badge tone="info">{isEmbeddings(service) ? 'Embeddings' : 'Model'}</Badge>
}
