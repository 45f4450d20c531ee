import type { StoredRow, Tables } from './tables.ts'

/** Writes of one transaction. Those of tables apply at once, and `undo` reverts them. */
export type Writes = {
  /** Writes a row; undefined deletes it. */
  set<Key, Row>(table: Map<Key, Row>, key: Key, row: Row | undefined): void
  /** Does something that can be undone later, whatever others did to the same row. */
  add(apply: () => void, undo: () => void): void
  /** Deferred to the commit. */
  later(write: () => void): void
  commit(): void
  undo(): void
  isEmpty(): boolean
}

/** Creates an empty transaction. */
export function createWrites(): Writes {
  let undone: (() => void)[] = []
  const left: (() => void)[] = []
  const add = (apply: () => void, undo: () => void) => {
    apply()
    undone.push(undo)
  }
  return {
    set(table, key, row) {
      const before = table.get(key)
      add(
        () => (row === undefined ? table.delete(key) : table.set(key, row)),
        () => (before === undefined ? table.delete(key) : table.set(key, before)),
      )
    },
    add,
    later(write) {
      left.push(write)
    },
    commit() {
      for (const write of left.splice(0)) write()
    },
    undo() {
      left.length = 0
      const taken = undone
      undone = []
      for (const undo of taken.reverse()) undo()
    },
    isEmpty: () => undone.length === 0 && left.length === 0,
  }
}

/** Appends rows to a partition when the transaction commits. */
export function stageRow(writes: Writes, tables: Tables, row: StoredRow, isProjected: boolean): void {
  writes.later(() => {
    const partition = tables.partitions[row.partition]
    if (partition === undefined || partition.head + 1 !== row.seq) {
      throw new Error('The log of the simulation was written without its lock.')
    }
    const { head, hash, projected, committedProjected } = partition
    writes.add(
      () => {
        partition.rows.push(row)
        partition.head = row.seq
        partition.hash = row.hash
        if (isProjected) partition.projected = partition.committedProjected = row.seq
      },
      () => {
        partition.rows.pop()
        partition.head = head
        partition.hash = hash
        if (isProjected) Object.assign(partition, { projected, committedProjected })
      },
    )
  })
}
