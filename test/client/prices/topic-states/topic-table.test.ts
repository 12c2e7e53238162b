import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { playCell } from './play-cell.js'
import { shownAs, topicDiagram, topicTable, type TopicEvent, type TopicState } from './topic-table.js'

const states = Object.keys(topicTable) as readonly TopicState[]

const cells = states.flatMap((state) =>
  (Object.keys(topicTable[state]) as readonly TopicEvent[]).flatMap((event) => {
    const cell = topicTable[state][event]
    return cell === 'impossible' ? [] : [{ state, event, cell }]
  }),
)

describe('a topic', () => {
  it.each(cells)(
    'that is $state has the cell of the table after the event: $event',
    ({ state, event, cell }) => {
      expect(playCell(state, event)).toEqual({ shows: shownAs[state], cell })
    },
  )

  it('has its states in the documentation as in the table', () => {
    expect(readFileSync('docs/concepts/data-flow.md', 'utf8')).toContain(topicDiagram())
  })
})
