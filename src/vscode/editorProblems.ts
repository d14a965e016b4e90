import * as vscode from 'vscode';
import type { EditorProblem, Severity } from '../workspace/port';
import { realPath } from './windowFolders';

const severities: Readonly<Record<vscode.DiagnosticSeverity, Severity>> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'info',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

/** What the Problems panel shows of files on the disk. */
export function editorProblems(): readonly EditorProblem[] {
  return vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) => {
    if (uri.scheme !== 'file' || diagnostics.length === 0) return [];
    const real = realPath(uri.fsPath);
    return diagnostics.map((diagnostic) => problemOf(real, diagnostic));
  });
}

const problemOf = (real: string, diagnostic: vscode.Diagnostic): EditorProblem => ({
  real,
  line: diagnostic.range.start.line + 1,
  column: diagnostic.range.start.character + 1,
  severity: severities[diagnostic.severity],
  message: diagnostic.message,
  source: [diagnostic.source ?? '', codeOf(diagnostic)].filter((part) => part !== '').join(' '),
});

function codeOf({ code }: vscode.Diagnostic): string {
  if (code === undefined) return '';
  return String(typeof code === 'object' ? code.value : code);
}
