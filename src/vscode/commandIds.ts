/** Every command of the manifest; a test compares the two lists. */
export const commandIds = [
  'teamroom.delegate',
  'teamroom.newTeam',
  'teamroom.message',
  'teamroom.stopAgent',
  'teamroom.stopAll',
  'teamroom.addModel',
  'teamroom.chooseModel',
  'teamroom.undoMember',
  'teamroom.undoTask',
  'teamroom.undoHunk',
  'teamroom.redo',
  'teamroom.review',
  'teamroom.accept',
  'teamroom.requestChanges',
  'teamroom.resume',
  'teamroom.rehearse',
  'teamroom.openLog',
  'teamroom.takeOver',
  'teamroom.openDiff',
  'teamroom.openAllDiffs',
  'teamroom.undoFile',
  'teamroom.tree.stop',
  'teamroom.tree.message',
  'teamroom.tree.open',
] as const;

export type CommandId = (typeof commandIds)[number];
