// Package schedule reads and writes the schedule expressions of EventBridge
// rules, by the rules that AWS documents for them. EventBridge itself answers a
// mistake with "Parameter ScheduleExpression is not valid" at apply; here it is
// found at plan, named, and corrected where what was meant can be told.
//
// # Rates
//
// rate(VALUE UNIT): a whole number from 1, one space, and minute, hour or day
// for a value of 1, minutes, hours or days for all others. A cadence longer than
// 365 days is refused.
//
// # Cron
//
// cron(MINUTES HOURS DAY-OF-MONTH MONTH DAY-OF-WEEK YEAR), in UTC, or the six
// fields alone. Fields are separated by white space; the rest is exact:
//
//		field         values            wildcards
//		minutes       0-59              , - * /
//		hours         0-23              , - * /
//		day-of-month  1-31              , - * / ? L W
//		month         1-12 or JAN-DEC   , - * /
//		day-of-week   1-7 or SUN-SAT    , - * ? L #
//		year          1970-2199         , - * /
//
//	  - Exactly one of day-of-month and day-of-week is ?.
//	  - A range goes upwards, from a number to a number or from a name to a name.
//	  - A step follows *, a first value or a range: */5, 0/5, 8-18/2. It is smaller
//	    than the number of values that the field has.
//	  - Alone in day-of-month: L, the last day, and 15W, the Monday to Friday
//	    nearest the 15th.
//	  - Alone in day-of-week: L, Saturday; 6L, the month's last Friday; 6#3, its
//	    third.
//	  - Numbers of one digit may have a leading zero.
//	  - Some date fits: the 30th of February, and a fifth Friday in no year that
//	    has one, would never fire.
//
// Spellings that other schedulers take and AWS does not document (lower case,
// FRI-MON, MON-FRI/2, FRI#1, LW, five Unix fields, seconds) are errors, nearly
// all with the documented spelling of the same schedule.
package schedule
