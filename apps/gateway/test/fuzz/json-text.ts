// JSON as sent: members in order, duplicate names, numbers of any size, which JSON.stringify would never write.

/** A value as written. */
export type Node =
  | { readonly raw: string }
  | { readonly items: readonly Node[] }
  | { readonly members: readonly Member[] }
/** A member of an object; its name is written in quotes. */
export type Member = readonly [name: string, value: Node]

/** Kinds of values. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return { items: value.map(nodeOf) }
  if (typeof value !== 'object' || value === null) return { raw: JSON.stringify(value ?? null) }
  return { members: Object.entries(value).map(([name, of]) => [name, nodeOf(of)] as const) }
}

/** Returns the text of a value. */
export function textOf(node: Node): string {
  if ('raw' in node) return node.raw
  if ('items' in node) return `[${node.items.map(textOf).join(',')}]`
  return `{${node.members.map(([name, of]) => `${JSON.stringify(name)}:${textOf(of)}`).join(',')}}`
}

/** Returns the number of values, including itself. */
export function sizeOf(node: Node): number {
  if ('raw' in node) return 1
  const inner = 'items' in node ? node.items : node.members.map(([, of]) => of)
  return inner.reduce((sum, of) => sum + sizeOf(of), 1)
}

/** Returns a copy with the value at a position, counted in text order, replaced by none, one or two. */
export function replaceAt(node: Node, place: number, make: (value: Node) => readonly Node[]): Node {
  if (place === 0) return make(node)[0] ?? node
  if ('raw' in node) return node
  let left = place - 1
  const replaced = <Part>(part: Part, value: Node, partOf: (value: Node) => Part): readonly Part[] => {
    const size = sizeOf(value)
    const at = left
    left -= size
    if (at < 0 || at >= size) return [part]
    return at === 0 ? make(value).map(partOf) : [partOf(replaceAt(value, at, make))]
  }
  if ('items' in node) return { items: node.items.flatMap(item => replaced(item, item, value => value)) }
  return {
    members: node.members.flatMap(member => replaced<Member>(member, member[1], value => [member[0], value])),
  }
}
