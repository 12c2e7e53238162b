/** The cells of a table of states and events, without those that are impossible. */
export const cellsOf = <S extends string, E extends string, C>(
  table: Readonly<Record<S, Readonly<Record<E, C | 'impossible'>>>>,
): readonly { readonly state: S; readonly event: E; readonly cell: Exclude<C, 'impossible'> }[] =>
  (Object.keys(table) as S[]).flatMap((state) =>
    (Object.keys(table[state]) as E[]).flatMap((event) => {
      const cell = table[state][event]
      return cell === 'impossible' ? [] : [{ state, event, cell: cell as Exclude<C, 'impossible'> }]
    }),
  )
