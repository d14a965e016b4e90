import * as vscode from 'vscode';
import type {
  Asker,
  Complaint,
  FindQuestion,
  InputQuestion,
  PickItem,
  PickQuestion,
  TypeQuestion,
} from './asker';
import { noLinks, noPictures } from './plainText';

/** Asks with the editor's own inputs, lists and notifications. */
export const editorAsker: Asker = {
  input,
  pick,
  pickOrType,
  find,
  confirm: async (message, detail, yes) =>
    (await vscode.window.showWarningMessage(
      noLinks(message),
      { modal: true, detail: noLinks(detail) },
      yes,
    )) === yes,
  tell: async (kind, words, ...actions) => {
    const message = noLinks(words);
    if (kind === 'error') return vscode.window.showErrorMessage(message, ...actions);
    if (kind === 'warning') return vscode.window.showWarningMessage(message, ...actions);
    return vscode.window.showInformationMessage(message, ...actions);
  },
  busy: async (message, work) =>
    vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: message }, () => work),
};

async function input(question: InputQuestion): Promise<string | undefined> {
  const { check } = question;
  return vscode.window.showInputBox({
    title: question.title,
    prompt: question.prompt,
    ignoreFocusOut: true,
    ...(question.value !== undefined && { value: question.value }),
    ...(question.placeholder !== undefined && { placeHolder: question.placeholder }),
    ...(question.password !== undefined && { password: question.password }),
    ...(check !== undefined && { validateInput: (value: string) => complaint(check(value)) }),
  });
}

function complaint(found: Complaint | null): vscode.InputBoxValidationMessage | undefined {
  if (found === null) return undefined;
  const severities = vscode.InputBoxValidationSeverity;
  return {
    message: found.message,
    severity: found.severity === 'error' ? severities.Error : severities.Warning,
  };
}

async function pick<T>(question: PickQuestion<T>): Promise<T | undefined> {
  const items = question.items.map((item) => ({ ...quickPickItem(item), value: item.value }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: question.title,
    placeHolder: question.placeholder,
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return chosen?.value;
}

function quickPickItem<T>(item: PickItem<T>): vscode.QuickPickItem {
  return {
    label: noPictures(item.label),
    ...(item.description !== undefined && { description: noPictures(item.description) }),
    ...(item.detail !== undefined && { detail: noPictures(item.detail) }),
    ...(item.icon !== undefined && { iconPath: new vscode.ThemeIcon(item.icon) }),
    ...(item.picked !== undefined && { picked: item.picked }),
  };
}

/** What was found for an earlier text is not shown for a later one. */
function find<T>(question: FindQuestion<T>): Promise<T | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly value?: T }>();
  list.title = question.title;
  list.placeholder = question.placeholder;
  return new Promise((resolve, reject) => {
    const look = async (typed: string) => {
      if (typed.trim() === '') {
        list.items = [];
        return;
      }
      list.busy = true;
      const items = await question.items(typed);
      if (list.value !== typed) return;
      list.busy = false;
      list.items =
        items.length > 0
          ? // The list's own filter knows labels only: what was found is shown.
            items.map((item) => ({ ...quickPickItem(item), value: item.value, alwaysShow: true }))
          : [{ label: question.none, alwaysShow: true }];
    };
    list.onDidChangeValue((value) => {
      look(value).catch((error: unknown) => {
        list.hide();
        reject(error);
      });
    });
    list.onDidAccept(() => {
      const chosen = list.activeItems[0];
      if (chosen === undefined || chosen.value === undefined) return;
      resolve(chosen.value);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

function pickOrType(question: TypeQuestion): Promise<string | undefined> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly name: string }>();
  const known = question.items.map((name) => ({ label: noPictures(name), name }));
  list.title = question.title;
  list.placeholder = question.placeholder;
  list.ignoreFocusOut = true;
  list.items = known;
  return new Promise((resolve) => {
    list.onDidChangeValue((value) => {
      const typed = value.trim();
      const offer = typed === '' || question.items.includes(typed);
      list.items = offer
        ? known
        : [...known, { label: noPictures(question.typed(typed)), name: typed, alwaysShow: true }];
    });
    list.onDidAccept(() => {
      const name = list.activeItems[0]?.name ?? list.value.trim();
      if (name === '') return;
      resolve(name);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}
