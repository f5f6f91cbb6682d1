//! A lesson on paper: what it asks, its text, and an empty timeline to draw into; or its solution with the picture of a run.

use std::fmt::Write as _;

use engine::lesson::{Lesson, LessonKind, TextLanguage};
use engine::workload::Document;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::text::html_text::escaped;
use crate::timeline::drawing;

/// Words of a sheet that are no lesson's, in English and in Chinese.
const WORDS: [(&str, &str); 8] = [
    ("Name", "姓名"),
    ("Task", "任务"),
    ("Before you run it", "运行之前"),
    ("Draw what you expect", "画出你的预期"),
    ("Text", "文本"),
    ("Solution", "参考解答"),
    ("What was learned", "小结"),
    (
        "There is no picture: the lesson is not judged on mock",
        "没有图：本课不在 mock 上评判",
    ),
];

/// A word of a sheet in a language.
fn word(english: &'static str, language: TextLanguage) -> &'static str {
    let found = WORDS.iter().find(|it| it.0 == english);
    match language {
        TextLanguage::English => english,
        TextLanguage::Chinese => found.map_or(english, |it| it.1),
    }
}

/// How a sheet looks, on a screen and on paper of either size.
const STYLE: &str = "body{font:11pt/1.45 sans-serif;color:#111;background:#fff;max-width:50em;margin:2em auto;padding:0 1em}\
h1{font-size:1.5em;margin:.2em 0}h2{font-size:1.1em;margin:1.3em 0 .4em}\
pre{font:9pt/1.4 monospace;background:#f4f4f4;padding:.8em;white-space:pre-wrap;overflow-wrap:anywhere}\
.name{display:flex;gap:.6em;margin:1em 0}.name span{flex:1;border-bottom:1px solid #555}\
ul{list-style:none;padding:0}li{margin:.35em 0}svg{width:100%;height:auto}\
h2,li,figure{break-inside:avoid;break-after:auto}figure{margin:0}\
@media print{body{margin:0;max-width:none}pre{background:none;border:1px solid #bbb}}@page{margin:18mm}";

/// The sheet of a lesson as one file of HTML that needs no other; with its `answers`, the teacher's.
pub(super) fn page(lesson: &Lesson, language: TextLanguage, answers: bool) -> String {
    let says = |text| word(text, language);
    let title = escaped(lesson.title.get(language));
    let code = match language {
        TextLanguage::English => "en",
        TextLanguage::Chinese => "zh-Hans",
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"{code}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escaped(lesson.goal.get(language))
    );
    if !answers {
        let _ = writeln!(page, "<p class=\"name\">{}<span></span></p>", says("Name"));
    }
    page += &in_html(lesson.text.get(language));
    let task = escaped(lesson.task.get(language));
    let _ = writeln!(page, "<h2>{}</h2>\n<p>{task}</p>", says("Task"));
    ask(lesson, language, answers, &mut page);
    let start = escaped(lesson.start().trim_end());
    let _ = writeln!(page, "<h2>{}</h2>\n<pre>{start}</pre>", says("Text"));
    if answers {
        answer(lesson, language, &mut page);
    } else {
        let _ = writeln!(
            page,
            "<h2>{}</h2>\n<figure>{}</figure>",
            says("Draw what you expect"),
            empty_timeline(lesson)
        );
    }
    page + "</body>\n</html>\n"
}

/// What is asked before the run, with a box for each answer, of which the right one may be marked.
fn ask(lesson: &Lesson, language: TextLanguage, answers: bool, page: &mut String) {
    let Some(prediction) = &lesson.prediction else {
        return;
    };
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p>{}</p>\n<ul>",
        word("Before you run it", language),
        escaped(prediction.ask.get(language))
    );
    for option in &prediction.options {
        let is_marked = answers && option.id == prediction.answer;
        let mark = if is_marked { "☒" } else { "☐" };
        let _ = writeln!(
            page,
            "<li>{mark} {}</li>",
            escaped(option.says.get(language))
        );
    }
    *page += "</ul>\n";
    let shown = prediction.shown.as_ref().filter(|_| answers);
    if let (Some(_), Ok(Some(shown))) = (shown, lesson.predicted("mock")) {
        let _ = writeln!(page, "<p>{}</p>", escaped(shown.says.get(language)));
    }
}

/// The solution, its picture, and what was learned.
fn answer(lesson: &Lesson, language: TextLanguage, page: &mut String) {
    let solution = match lesson.kind {
        LessonKind::Edit => lesson.solutions.first().map(String::as_str),
        LessonKind::Click => None,
    };
    if let Some(solution) = solution {
        let _ = writeln!(
            page,
            "<h2>{}</h2>\n<pre>{}</pre>",
            word("Solution", language),
            escaped(solution.trim_end())
        );
        *page += &picture(lesson, solution, language);
    }
    if let Some((_, otherwise)) = &lesson.answer {
        let _ = writeln!(page, "<p>{}</p>", escaped(otherwise.get(language)));
    }
    let learned = escaped(lesson.learned.get(language));
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p>{learned}</p>",
        word("What was learned", language)
    );
}

/// The picture of a run of the solution, or why there is none.
fn picture(lesson: &Lesson, solution: &str, language: TextLanguage) -> String {
    let ran = lesson.judge(solution, "mock").ok();
    if let Some(capture) = ran.and_then(|it| it.capture) {
        let picture = drawing::svg(&capture, drawing::for_print());
        return format!("<figure>{picture}</figure>\n");
    }
    let why = "There is no picture: the lesson is not judged on mock";
    format!("<p>{}</p>\n", word(why, language))
}

/// Width of the empty timeline, of the names beside it and between two lines of its grid, and height of a lane.
const TIMELINE: (usize, usize, usize, usize) = (1000, 150, 50, 64);

/// The names of the host threads and streams of the start text.
fn lanes(lesson: &Lesson) -> Vec<String> {
    let plan = Document::parse(&lesson.id, lesson.start()).and_then(|it| it.plan(&[]));
    let Ok(plan) = plan else {
        return Vec::new();
    };
    let hosts = plan.hosts.iter().map(|it| it.name.clone());
    hosts
        .chain(plan.streams.iter().map(|it| it.name.clone()))
        .collect()
}

/// A lane for each host thread and each stream of the start text, with nothing in it.
fn empty_timeline(lesson: &Lesson) -> String {
    let names = lanes(lesson);
    let (width, left, step, lane) = TIMELINE;
    let height = names.len() * lane;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\">\n",
        height + 1
    );
    for x in (left..=width).step_by(step) {
        let _ = writeln!(text, "<path d=\"M{x} 0V{height}\" stroke=\"#ddd\"/>");
    }
    for (row, name) in names.iter().enumerate() {
        let (top, middle) = (row * lane, row * lane + lane / 2);
        let _ = writeln!(
            text,
            "<path d=\"M0 {top}H{width}M0 {}H{width}\" stroke=\"#777\"/>\
             <text x=\"8\" y=\"{}\" font-family=\"sans-serif\" font-size=\"16\">{}</text>",
            top + lane,
            middle + 5,
            escaped(name)
        );
    }
    text + "</svg>"
}

/// Markdown as HTML. What a course writes brings no markup, link or picture of its own onto the page.
fn in_html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::empty()).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        | Event::End(TagEnd::Link | TagEnd::Image | TagEnd::HtmlBlock) => None,
        other => Some(other),
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_course_bring_no_markup() {
        let text =
            "A <script>x</script> `a<b` [here](javascript:x) ![p](http://x/y)\n\n<img src=x>\n";
        let made = in_html(text);
        for never in ["<script", "javascript", "http:", "<img", "<a "] {
            assert!(!made.contains(never), "{made}");
        }
        assert!(
            made.contains("<code>a&lt;b</code>") && made.contains("here"),
            "{made}"
        );
    }

    #[test]
    fn every_word_is_there_in_either_language() {
        for (english, chinese) in WORDS {
            assert_eq!(word(english, TextLanguage::English), english);
            assert_eq!(word(english, TextLanguage::Chinese), chinese);
            assert_ne!(english, chinese);
        }
    }
}
