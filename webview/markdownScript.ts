import { markdownOf } from './markdown';

/** The second script of the page: the room asks the host for its rows before this is read. */
globalThis.teamroomMarkdown = markdownOf;
