import { describe, expect, it } from 'vitest'
import { lineTable } from './line-table.js'
import { cellsOf } from '../support/cells-of.js'
import { playLine } from './play-line.js'

describe('one of two lines', () => {
  it.each(cellsOf(lineTable))(
    'in the state: $state has the cell of the table after the event: $event',
    ({ state, event, cell }) => {
      expect(playLine(state, event)).toEqual(cell)
    },
  )
})
