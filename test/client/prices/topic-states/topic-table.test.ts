import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cellsOf } from '../support/cells-of.js'
import { playCell } from './play-cell.js'
import { shownAs, topicDiagram, topicTable } from './topic-table.js'

describe('a topic', () => {
  it.each(cellsOf(topicTable))(
    'that is $state has the cell of the table after the event: $event',
    ({ state, event, cell }) => {
      expect(playCell(state, event)).toEqual({ shows: shownAs[state], cell })
    },
  )

  it('has its states in the documentation as in the table', () => {
    expect(readFileSync('docs/concepts/data-flow.md', 'utf8')).toContain(topicDiagram())
  })
})
